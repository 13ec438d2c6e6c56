/** Runs a call while somebody answers what its tool asks, and sees how far it has come. */
import * as Progress from "@haft/core/Progress"
import * as Approvals from "@haft/policy/Approvals"
import * as Display from "@haft/policy/Display"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Terminal from "effect/Terminal"
import * as Sentences from "./sentences.ts"

/** `grant` says yes to everything, once. `ask` shows each request at the terminal; without one, every request is refused. */
export type Attendance = "ask" | "grant"

export const attended = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>, attendance: Attendance) {
  const stdio = yield* Stdio.Stdio
  const isSeen = yield* stdio.stderrIsTerminal
  const isAnswered = attendance === "grant" || (isSeen && (yield* stdio.stdinIsTerminal))
  const watched = isSeen ? Effect.provideService(effect, Progress.Service, reporter(yield* Console.Console)) : effect
  if (!isAnswered) return yield* watched
  const answering = attendance === "grant" ? answerWith(() => Effect.succeed(Approvals.once)) : answerWith(ask)
  return yield* Effect.scoped(Effect.andThen(Effect.forkScoped(answering, { startImmediately: true }), watched))
})

const answerWith = Effect.fnUntraced(function* <E, R>(
  decide: (pending: Approvals.Pending) => Effect.Effect<Approvals.Reply, E, R>
) {
  const approvals = yield* Approvals.Service
  yield* Stream.runForEach(approvals.changes, (change) =>
    change._tag === "Ended" || !change.pending.isWaiting
      ? Effect.void
      : Effect.flatMap(decide(change.pending), (reply) => answerOne(approvals, change.pending, reply))
  )
})

/** Too late is not wrong: the call may have been interrupted meanwhile. */
export const answerOne = (approvals: Approvals.Interface, pending: Approvals.Pending, reply: Approvals.Reply) =>
  approvals.reply(pending, reply).pipe(
    Effect.catchTags({
      "Approvals.EndedError": () => Effect.void,
      "Approvals.UnknownError": () => Effect.void
    })
  )

const ask = Effect.fnUntraced(function* (
  pending: Approvals.Pending
): Effect.fn.Return<Approvals.Reply, Terminal.QuitError, Terminal.Terminal> {
  const terminal = yield* Terminal.Terminal
  yield* Console.error(Display.prompt(pending))
  for (;;) {
    yield* Console.error(Sentences.choices(pending.request.save.length > 0))
    const reply = replyOf((yield* terminal.readLine).trim(), pending)
    if (reply !== undefined) return reply
  }
})

/** One letter is a choice. Anything longer is a refusal with feedback for the model; a blank line is no answer. */
const replyOf = (line: string, { request }: Approvals.Pending): Approvals.Reply | undefined => {
  if (line.length > 1) return Approvals.reject(line)
  switch (line.toLowerCase()) {
    case "y":
      return Approvals.once
    case "a":
      return request.save.length > 0 ? Approvals.always : undefined
    case "n":
      return Approvals.reject()
    case "s":
      return Approvals.rejectAndStop()
    default:
      return undefined
  }
}

const reporter = (console: Console.Console): Progress.Interface => ({
  report: (update) => Effect.sync(() => console.error(Sentences.progress(update)))
})
