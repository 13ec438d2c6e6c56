/** Asks the model, and puts its answer on record. */
import type { ToolDefinition } from "@haft/core/ToolDefinition"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { Event } from "../Event.ts"
import * as Message from "../Message.ts"
import * as Model from "../Model.ts"
import { Admission } from "./admission.ts"
import { Draft } from "./draft.ts"
import { messageID } from "./identifiers.ts"
import type { Answer, Run } from "./run.ts"
import * as Sentences from "./sentences.ts"

/** Nothing is on record of an answer that is not complete, except for what was said before somebody interrupted it. */
export const ask = Effect.fnUntraced(function* (run: Run, tools: ReadonlyArray<ToolDefinition>) {
  const { conversation, model, request, restore } = run
  const messages = yield* restore(conversation.request)
  const draft = new Draft(model.profile.provider)
  const asking = attempts(run, { system: request.system, messages, tools }, draft)
  const exit = yield* Effect.exit(restore(asking))
  if (Exit.isFailure(exit)) {
    if (Cause.hasInterrupts(exit.cause)) yield* keepSpoken(run, draft)
    return yield* Effect.failCause(exit.cause)
  }
  return yield* keep(run, draft, exit.value)
})

type Finish = NonNullable<Draft["finish"]>

/** Asking again is safe: nothing was run and nothing was written. */
const attempts = Effect.fnUntraced(function* (
  run: Run,
  request: Model.Request,
  draft: Draft
): Effect.fn.Return<Finish, Model.ModelError> {
  for (let attempt = 1; ; attempt++) {
    const asked = yield* Effect.result(attemptOnce(run, request, draft))
    if (Result.isSuccess(asked)) return asked.success
    const error = asked.failure
    const delayMs = yield* delayOf(error, attempt)
    if (!error.isTransient || attempt >= run.limits.attempts || delayMs > maxDelayMs) return yield* Effect.fail(error)
    draft.reset()
    run.emit(Event.Retrying({ error, attempt, delayMs }))
    yield* Effect.sleep(delayMs)
  }
})

/** Of the first attempt that follows another; each later one waits twice as long. */
const firstDelayMs = 2_000

/** Somebody is waiting. Who is told to come back later than this is told so. */
const maxDelayMs = 60_000

/** Sessions that failed at the same moment do not all come back at the same moment. */
const delayOf = ({ retryAfterMs }: Model.ModelError, attempt: number): Effect.Effect<number> => {
  if (retryAfterMs !== undefined) return Effect.succeed(retryAfterMs)
  const delayMs = firstDelayMs * 2 ** (attempt - 1)
  return Random.nextIntBetween(delayMs * 0.75, delayMs * 1.25)
}

const attemptOnce = Effect.fnUntraced(function* ({ emit, model }: Run, request: Model.Request, draft: Draft) {
  yield* Stream.runForEach(model.stream(request), (part) =>
    Effect.sync(() => {
      draft.take(part)
      if (part._tag === "TextDelta") emit(Event.TextDelta({ text: part.text }))
      if (part._tag === "ReasoningDelta") emit(Event.ReasoningDelta({ text: part.text }))
    })
  )
  return draft.finish ?? (yield* cutOff(model))
})

const cutOff = ({ profile }: Model.Interface) =>
  new Model.ModelError({ provider: profile.provider, reason: "CutOff", message: Sentences.modelErrors.CutOff })

const keep = Effect.fnUntraced(function* (run: Run, draft: Draft, { stop, usage }: Finish) {
  const { conversation, emit, tally } = run
  const admission = new Admission(conversation.callIDs)
  const message = Message.assistant({ id: messageID(), parts: draft.admitted(admission), stop, usage })
  const calls = Message.callsOf(message)
  for (const warning of admission.warnings) emit(Event.Warning(warning))
  tally.answered(message)
  if (calls.length > 0 || Message.textOf(message) !== "") {
    yield* conversation.append(message)
    emit(Event.Answered({ message }))
  } else emit(Event.Warning({ code: "EmptyAnswer", message: Sentences.warnings.EmptyAnswer }))
  const answer: Answer = { message, calls, refused: admission.refused }
  return answer
})

/** A person has read it and will refer to it. */
const keepSpoken = ({ conversation }: Run, draft: Draft) => {
  const parts = draft.spoken
  if (parts.length === 0) return Effect.void
  const usage = Message.noUsage
  return conversation.append(Message.assistant({ id: messageID(), parts, stop: "interrupted", usage }))
}
