/**
 * Questions of models to people, and their answers. A host listens to `changes` and answers; a tool asks. Where nobody
 * listens nobody is asked, so that a run without a person does not hang.
 */
import type * as Tool from "@haft/core/Tool"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import { abandon, answer, ask, dismiss } from "./internal/asking.ts"
import type {
  EndedError,
  Ending,
  InvalidAnswerError,
  UnansweredError,
  UnknownError
} from "./internal/questionErrors.ts"
import { QuestionBoard } from "./internal/questionBoard.ts"
import * as Sentences from "./internal/questionSentences.ts"

export { EndedError, Ending, InvalidAnswerError, UnansweredError, UnknownError } from "./internal/questionErrors.ts"

/** Something to choose. */
export interface Option {
  readonly label: string
  readonly description?: string
}

/** All texts are a model's. `prompt` shows what cannot be seen in them. */
export interface Question {
  readonly question: string
  readonly header?: string
  readonly options: ReadonlyArray<Option>
  /** Whether several options can be chosen; only one without it. */
  readonly multiple?: boolean
  /** Whether an answer in the person's own words is wanted, too; it is without it. */
  readonly custom?: boolean
}

/** To one question: labels of its options, or the person's own words, or both if several may be chosen. */
export const Answer = Schema.Struct({
  selected: Schema.Array(Schema.String),
  custom: Schema.optionalKey(Schema.String)
})
export type Answer = typeof Answer.Type

/** Questions without an answer, asked together by one call. */
export interface Pending {
  readonly id: string
  readonly context: Tool.Context
  readonly questions: ReadonlyArray<Question>
  readonly askedAt: number
  readonly expiresAt: number
}

/** What a host is told. */
export type Change =
  | { readonly _tag: "Asked"; readonly pending: Pending }
  | { readonly _tag: "Ended"; readonly id: string; readonly as: Ending }

/** Names questions together with their session. A `Pending` is one. */
export interface Ref {
  readonly id: string
  readonly context: Pick<Tool.Context, "sessionID">
}

export interface Interface {
  /** For tools. Returns one answer for each question. Interrupting it withdraws them. */
  readonly ask: (
    questions: ReadonlyArray<Question>,
    context: Tool.Context
  ) => Effect.Effect<ReadonlyArray<Answer>, UnansweredError>
  /** First everything that waits, then each change. Whoever runs it counts as somebody who can be asked. */
  readonly changes: Stream.Stream<Change>
  /** One answer for each question, in their order. Exactly one set of answers counts. */
  readonly answer: (
    ref: Ref,
    answers: ReadonlyArray<Answer>
  ) => Effect.Effect<void, UnknownError | EndedError | InvalidAnswerError>
  /** The person does not want to answer, and may say what to do instead. */
  readonly dismiss: (ref: Ref, feedback?: string) => Effect.Effect<void, UnknownError | EndedError>
  /** Nobody can be asked where the questions came from, which is no word of a person's. */
  readonly abandon: (ref: Ref) => Effect.Effect<void, UnknownError | EndedError>
}

export class Service extends Context.Service<Service, Interface>()("@haft/builtins/Questions") {}

/** The questions as text for a terminal or a log: nothing invisible, and nothing that could pass for ours. */
export const prompt = (pending: Pending): string => Sentences.prompt(pending)

/** What a host chooses. */
export interface Options {
  /** How long questions wait; an hour without it. */
  readonly timeLimit?: Duration.Input
  /** What becomes of questions while nobody listens to `changes`: they fail at once, or `wait` for somebody to come. */
  readonly unattended?: "fail" | "wait"
}

/** Somebody may be at lunch. */
const defaultTimeLimit = "1 hour"

/** A timer cannot be set for much longer than three weeks. */
const maxTimeLimitMs = Duration.toMillis("7 days")

/** Closing its Scope ends whatever waits. Build one for each Location. */
export const layer = (options: Options = {}): Layer.Layer<Service> =>
  Layer.effect(
    Service,
    Effect.gen(function* () {
      const limitMs = checkedLimit(options.timeLimit ?? defaultTimeLimit)
      const board = yield* Effect.acquireRelease(
        Effect.sync(() => new QuestionBoard()),
        (board) => Effect.sync(() => board.close())
      )
      const isOpen = () => !board.isClosed && (options.unattended === "wait" || board.isWatched)
      return Service.of({
        ask: ask({ board, isOpen, limitMs }),
        changes: board.changes,
        answer: answer(board),
        dismiss: dismiss(board),
        abandon: abandon(board)
      })
    })
  )

/** A limit that nobody can mean is a mistake of the host's. */
const checkedLimit = (limit: Duration.Input): number => {
  const limitMs = Duration.toMillis(limit)
  if (limitMs >= 1 && limitMs <= maxTimeLimitMs) return limitMs
  throw new RangeError(`timeLimit must be between 1 ms and 7 days, not ${limitMs} ms`)
}
