/** How questions are asked, answered, dismissed and abandoned. */
import * as Clock from "effect/Clock"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Answer, Interface, Pending, Question, Ref } from "../Questions.ts"
import type { End, QuestionBoard } from "./questionBoard.ts"
import * as Errors from "./questionErrors.ts"

/** More than anybody types, and less than a document. */
export const maxCustomLength = 20_000

interface Asking {
  readonly board: QuestionBoard
  /** Whether somebody would hear a question. */
  readonly isOpen: () => boolean
  readonly limitMs: number
}

export const ask = ({ board, isOpen, limitMs }: Asking): Interface["ask"] =>
  Effect.fn("Questions.ask")(function* (questions, context) {
    if (board.isClosed) return yield* new Errors.UnansweredError({ reason: "closed", limitMs })
    if (!isOpen()) return yield* new Errors.UnansweredError({ reason: "unattended", limitMs })
    const askedAt = yield* Clock.currentTimeMillis
    const id = `qst_${SecureRandom.uuidV4Unsafe()}`
    const pending: Pending = { id, context, questions, askedAt, expiresAt: askedAt + limitMs }
    const end = yield* Effect.acquireUseRelease(
      Effect.sync(() => board.ask(pending)),
      (bell) => inTime(board, pending, bell, limitMs),
      () => Effect.sync(() => board.end(id, { as: "withdrawn" }))
    )
    return end.answers ?? (yield* unanswered(end, limitMs))
  })

/** An answer that came at the last moment counts. */
const inTime = Effect.fnUntraced(function* (
  board: QuestionBoard,
  { id }: Pending,
  bell: Deferred.Deferred<End>,
  limitMs: number
) {
  const heard = yield* Effect.timeoutOption(Deferred.await(bell), limitMs)
  if (Option.isSome(heard)) return heard.value
  board.end(id, { as: "expired" })
  return yield* Deferred.await(bell)
})

const unanswered = ({ as, feedback }: End, limitMs: number) =>
  new Errors.UnansweredError({
    reason: as === "dismissed" || as === "expired" || as === "unattended" ? as : "closed",
    limitMs,
    ...(feedback === undefined ? {} : { feedback })
  })

export const answer = (board: QuestionBoard): Interface["answer"] =>
  Effect.fn("Questions.answer")(function* (ref, answers) {
    const pending = yield* found(board, ref)
    const fault = faultOf(pending.questions, answers)
    if (fault !== undefined) return yield* fault
    board.end(ref.id, { as: "answered", answers })
  })

export const dismiss = (board: QuestionBoard): Interface["dismiss"] =>
  Effect.fn("Questions.dismiss")(function* (ref, feedback) {
    yield* found(board, ref)
    board.end(ref.id, { as: "dismissed", ...(feedback === undefined ? {} : { feedback }) })
  })

export const abandon = (board: QuestionBoard): Interface["abandon"] =>
  Effect.fn("Questions.abandon")(function* (ref) {
    yield* found(board, ref)
    board.end(ref.id, { as: "unattended" })
  })

const found = (board: QuestionBoard, ref: Ref): Effect.Effect<Pending, Errors.UnknownError | Errors.EndedError> => {
  const pending = board.find(ref)
  if (pending !== undefined) return Effect.succeed(pending)
  const as = board.endOf(ref)
  return as === undefined ? new Errors.UnknownError({ id: ref.id }) : new Errors.EndedError({ id: ref.id, as })
}

type Reason = Errors.InvalidAnswerError["reason"]

const faultOf = (
  questions: ReadonlyArray<Question>,
  answers: ReadonlyArray<Answer>
): Errors.InvalidAnswerError | undefined => {
  const invalid = (index: number, reason: Reason) => new Errors.InvalidAnswerError({ index, reason })
  if (answers.length > questions.length) return invalid(questions.length, "TooMany")
  for (const [index, question] of questions.entries()) {
    const reason = reasonAgainst(question, answers[index])
    if (reason !== undefined) return invalid(index, reason)
  }
  return undefined
}

const reasonAgainst = (
  { custom: mayBeCustom = true, multiple = false, options }: Question,
  answer: Answer | undefined
): Reason | undefined => {
  if (answer === undefined) return "Missing"
  const { custom, selected } = answer
  if (selected.length === 0 && (custom === undefined || custom.trim() === "")) return "Missing"
  if (selected.some((label) => !options.some((option) => option.label === label))) return "UnknownOption"
  if (new Set(selected).size < selected.length) return "Several"
  if (!multiple && selected.length + (custom === undefined ? 0 : 1) > 1) return "Several"
  if (custom !== undefined && !mayBeCustom) return "NotCustom"
  return custom !== undefined && custom.length > maxCustomLength ? "TooLong" : undefined
}
