/** Asks what only a person can decide or know where the call came from: at the MCP client, if it can ask its person. */
import * as Questions from "@haft/builtins/Questions"
import * as McpClients from "@haft/mcp/McpClients"
import * as Approvals from "@haft/policy/Approvals"
import * as Display from "@haft/policy/Display"
import * as Effect from "effect/Effect"
import * as Answers from "./answers.ts"
import { converse } from "./conversations.ts"
import { answersOf, formOf } from "./questionForm.ts"
import * as Sentences from "./sentences.ts"

const once = "once"
const always = "always"
const no = "no"
const stop = "no, and stop"

/** For as long as clients are served. Requests do not wait for each other. */
export const decidedByClients = Effect.gen(function* () {
  const approvals = yield* Approvals.Service
  const clients = yield* McpClients.Service
  yield* converse(approvals.changes, (pending) =>
    pending.isWaiting
      ? Effect.flatMap(clients.ask(pending.context, approvalForm(pending)), (reply) =>
          Answers.decide(approvals, pending, decisionOf(pending, reply))
        )
      : Effect.void
  )
})

/** For as long as clients are served. */
export const answeredByClients = Effect.gen(function* () {
  const questions = yield* Questions.Service
  const clients = yield* McpClients.Service
  yield* converse(questions.changes, (pending) =>
    Effect.flatMap(clients.ask(pending.context, formOf(pending)), (reply) => {
      switch (reply._tag) {
        case "Filled":
          return Answers.answer(questions, pending, answersOf(pending, reply.values))
        case "Declined":
          return Answers.dismiss(questions, pending)
        case "Unreachable":
          return Answers.abandon(questions, pending)
      }
    })
  )
})

const approvalForm = (pending: Approvals.Pending): McpClients.Form => {
  const options = pending.request.save.length > 0 ? [once, always, no, stop] : [once, no, stop]
  return {
    message: Display.prompt(pending),
    fields: {
      answer: { _tag: "Choice", title: Sentences.formTitles.answer, options, isRequired: true },
      feedback: { _tag: "Text", title: Sentences.formTitles.feedback }
    }
  }
}

const decisionOf = ({ request }: Approvals.Pending, reply: McpClients.Reply): Approvals.Reply => {
  if (reply._tag === "Unreachable") return Approvals.unattended(Sentences.clientCannotAsk(request))
  if (reply._tag === "Declined") return Approvals.reject()
  const { answer, feedback } = reply.values
  const words = typeof feedback === "string" ? feedback : undefined
  switch (answer) {
    case once:
      return Approvals.once
    case always:
      return Approvals.always
    case stop:
      return Approvals.rejectAndStop(words)
    default:
      return Approvals.reject(words)
  }
}
