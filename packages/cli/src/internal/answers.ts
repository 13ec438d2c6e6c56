/** Gives answers to the tools that wait for them. Too late is not wrong: the call may have been interrupted meanwhile. */
import type * as Questions from "@haft/builtins/Questions"
import type * as Approvals from "@haft/policy/Approvals"
import * as Effect from "effect/Effect"

/** An answer that was given is not lost, whatever happens while it is written down. */
export const decide = (approvals: Approvals.Interface, pending: Approvals.Pending, reply: Approvals.Reply) =>
  approvals.reply(pending, reply).pipe(
    Effect.catchTags({
      "Approvals.EndedError": () => Effect.void,
      "Approvals.UnknownError": () => Effect.void
    }),
    Effect.uninterruptible
  )

/** Answers that leave a question open are none. */
export const answer = (
  questions: Questions.Interface,
  pending: Questions.Pending,
  answers: ReadonlyArray<Questions.Answer>
) =>
  questions.answer(pending, answers).pipe(
    Effect.catchTags({
      "Questions.EndedError": () => Effect.void,
      "Questions.UnknownError": () => Effect.void,
      "Questions.InvalidAnswerError": () => dismiss(questions, pending)
    })
  )

export const dismiss = (questions: Questions.Interface, pending: Questions.Pending) =>
  evenLate(questions.dismiss(pending))

/** Nobody can be asked. */
export const abandon = (questions: Questions.Interface, pending: Questions.Pending) =>
  evenLate(questions.abandon(pending))

const evenLate = (effect: ReturnType<Questions.Interface["abandon"]>) =>
  Effect.catchTags(effect, {
    "Questions.EndedError": () => Effect.void,
    "Questions.UnknownError": () => Effect.void
  })
