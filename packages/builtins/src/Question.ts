/**
 * The tool with which a model asks the user. Register it as `question`. It waits for the answer, which comes back typed;
 * where nobody can be asked it fails at once and tells the model to decide itself.
 */
import * as EffectSignal from "@haft/core/EffectSignal"
import * as Tool from "@haft/core/Tool"
import * as ToolContent from "@haft/core/ToolContent"
import * as ToolFailure from "@haft/core/ToolFailure"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { WellFormed } from "./internal/inputs.ts"
import * as Sentences from "./internal/questionSentences.ts"
import * as Questions from "./Questions.ts"

/** More at once is a form. */
const maxQuestions = 10
/** More is not a choice. */
const maxOptions = 25
/** What a person reads before answering. */
const maxLength = { question: 4000, header: 100, label: 200, description: 1000 }

const fields = Sentences.questionFields

const text = (length: number, description: string) =>
  WellFormed.check(
    Schema.makeFilter((value: string) => value.trim() !== "", { expected: Sentences.someText }),
    Schema.isMaxLength(length)
  ).annotate({ description })

const Option = Schema.Struct({
  label: text(maxLength.label, fields.label),
  description: Schema.optionalKey(text(maxLength.description, fields.description))
})

const hasNoTwins = (options: ReadonlyArray<Questions.Option>): boolean =>
  new Set(options.map(({ label }) => label)).size === options.length

const isAnswerable = ({ custom = true, options = [] }: Partial<Questions.Question>): boolean =>
  custom || options.length > 0

const Item = Schema.Struct({
  question: text(maxLength.question, fields.question),
  header: Schema.optionalKey(text(maxLength.header, fields.header)),
  options: Schema.optionalKey(
    Schema.Array(Option)
      .check(Schema.isMaxLength(maxOptions), Schema.makeFilter(hasNoTwins, { expected: Sentences.differentLabels }))
      .annotate({ description: fields.options })
  ),
  multiple: Schema.optionalKey(Schema.Boolean.annotate({ description: fields.multiple })),
  custom: Schema.optionalKey(Schema.Boolean.annotate({ description: fields.custom }))
}).check(Schema.makeFilter(isAnswerable, { expected: Sentences.answerable }))

/** What a model sends. */
export const Input = Schema.Struct({
  questions: Schema.Array(Item)
    .check(Schema.isMinLength(1), Schema.isMaxLength(maxQuestions))
    .annotate({ description: fields.questions })
})

/** One answer for each question, in their order. */
export const Output = Schema.Struct({ answers: Schema.Array(Questions.Answer) })

/** The tool, for the people of one Location. */
export const make: Effect.Effect<Tool.Tool<typeof Input, typeof Output>, never, Questions.Service> = Effect.gen(
  function* () {
    const people = yield* Questions.Service
    const tool = Tool.make({
      description: Sentences.questionDescription,
      input: Input,
      output: Output,
      execute: Effect.fn("Question.execute")(
        function* ({ questions }, context) {
          const signal = yield* EffectSignal.Service
          yield* signal.asking
          const whole = questions.map((question) => ({ options: [], ...question }))
          return { answers: yield* people.ask(whole, context) }
        },
        Effect.catchTags({ "Questions.UnansweredError": failureOf })
      ),
      toModelOutput: ({ input, output }) => [ToolContent.text(Sentences.answered(input.questions, output.answers))]
    })
    return Tool.annotate(tool, {
      title: "Ask the user",
      determinism: "idempotent",
      asksFirst: true,
      operations: ["read"],
      risk: "low",
      version: "1.0.0"
    })
  }
)

const failureOf = ({ feedback, limitMs, reason }: Questions.UnansweredError): ToolFailure.ToolFailure => {
  const hint = Sentences.decideYourself
  switch (reason) {
    case "unattended":
      return ToolFailure.unavailable({ message: Sentences.unattended, hint, retry: { model: false } })
    case "closed":
      return ToolFailure.unavailable({ message: Sentences.closed, retry: { model: false } })
    case "expired":
      return ToolFailure.timedOut({ message: Sentences.expired(limitMs), hint, boundBy: "idle", limitMs })
    case "dismissed":
      return ToolFailure.denied({
        by: "user",
        message: Sentences.dismissed,
        ...(feedback === undefined ? { hint } : { feedback })
      })
  }
}
