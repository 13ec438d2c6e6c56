/** Runs a call while somebody answers what its tool asks, and sees how far it has come. */
import * as Questions from "@haft/builtins/Questions"
import * as Progress from "@haft/core/Progress"
import * as Approvals from "@haft/policy/Approvals"
import * as Display from "@haft/policy/Display"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import * as Stdio from "effect/Stdio"
import * as Answers from "./answers.ts"
import { converse } from "./conversations.ts"
import * as Sentences from "./sentences.ts"
import { askForAnswers, askForPermission } from "./terminalDialogue.ts"

/** `grant` says yes to everything, once. `ask` shows each request at the terminal; without one, every request is refused. */
export type Attendance = "ask" | "grant"

export const attended = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>, attendance: Attendance) {
  const stdio = yield* Stdio.Stdio
  const isSeen = yield* stdio.stderrIsTerminal
  const isPresent = isSeen && (yield* stdio.stdinIsTerminal)
  const keyboard = yield* Semaphore.make(1)
  // Until the end is told, and with it the ends of whatever the same answer decided: nobody is asked about those.
  const inTurn: Turn = (talk) => keyboard.withPermit(Effect.andThen(talk, Effect.never))
  if (attendance === "grant") yield* inBackground(deciding(() => Effect.succeed(Approvals.once), atOnce))
  else if (isPresent) yield* inBackground(deciding(askForPermission, inTurn))
  if (isPresent) yield* inBackground(answering(inTurn))
  return yield* isSeen ? Effect.provideService(effect, Progress.Service, reporter(yield* Console.Console)) : effect
}, Effect.scoped)

/** Listens before it returns, so that the first thing that is asked is heard. */
const inBackground = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkScoped(effect, { startImmediately: true })

/** When somebody talks about one thing, and not about another. */
type Turn = <A, E, R>(talk: Effect.Effect<A, E, R>) => Effect.Effect<void, E, R>

const atOnce: Turn = Effect.asVoid

const deciding = Effect.fnUntraced(function* <E, R>(
  ask: (pending: Approvals.Pending) => Effect.Effect<Approvals.Reply, E, R>,
  turn: Turn
) {
  const approvals = yield* Approvals.Service
  yield* converse(approvals.changes, (pending) =>
    pending.isWaiting
      ? turn(Effect.flatMap(ask(pending), (reply) => Answers.decide(approvals, pending, reply)))
      : Effect.void
  )
})

const answering = Effect.fnUntraced(function* (turn: Turn) {
  const questions = yield* Questions.Service
  yield* converse(questions.changes, (pending) =>
    turn(
      Effect.flatMap(askForAnswers(pending), (answers) =>
        answers === undefined ? Answers.dismiss(questions, pending) : Answers.answer(questions, pending, answers)
      )
    )
  )
})

const reporter = (console: Console.Console): Progress.Interface => ({
  report: (update) => Effect.sync(() => console.error(Display.visible(Sentences.progress(update))))
})
