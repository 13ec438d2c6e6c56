/** Asks what only a person can decide where the call came from: at the MCP client, if it can ask its person. */
import * as McpClients from "@haft/mcp/McpClients"
import * as Approvals from "@haft/policy/Approvals"
import * as Display from "@haft/policy/Display"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { answerOne } from "./attended.ts"
import * as Sentences from "./sentences.ts"

const once = "once"
const always = "always"
const no = "no"
const stop = "no, and stop"

/** For as long as clients are served. Requests do not wait for each other. */
export const answeredByClients = Effect.gen(function* () {
  const approvals = yield* Approvals.Service
  const clients = yield* McpClients.Service
  yield* Stream.runForEach(approvals.changes, (change) =>
    change._tag === "Asked" && change.pending.isWaiting
      ? Effect.forkScoped(
          Effect.flatMap(ask(clients, change.pending), (reply) => answerOne(approvals, change.pending, reply))
        )
      : Effect.void
  )
})

const ask = (clients: McpClients.Interface, pending: Approvals.Pending): Effect.Effect<Approvals.Reply> => {
  const answers = pending.request.save.length > 0 ? [once, always, no, stop] : [once, no, stop]
  return Effect.map(
    clients.ask(pending.context, { message: Display.prompt(pending), answers }),
    Option.match({ onNone: () => Approvals.reject(Sentences.clientCannotAsk), onSome: replyOf })
  )
}

const replyOf = ({ answer, feedback }: McpClients.Answer): Approvals.Reply => {
  switch (answer) {
    case once:
      return Approvals.once
    case always:
      return Approvals.always
    case stop:
      return Approvals.rejectAndStop(feedback)
    default:
      return Approvals.reject(feedback)
  }
}
