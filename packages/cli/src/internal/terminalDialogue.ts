/** What a person at the terminal is shown and asked, and what their lines mean. */
import * as Questions from "@haft/builtins/Questions"
import * as Approvals from "@haft/policy/Approvals"
import * as Display from "@haft/policy/Display"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Terminal from "effect/Terminal"
import { changePreview } from "./changePreview.ts"
import * as Sentences from "./sentences.ts"
import { typedAnswer } from "./typedAnswer.ts"

/** Whoever leaves without an answer refuses. */
export const askForPermission = Effect.fnUntraced(function* (pending: Approvals.Pending) {
  yield* Console.error(yield* shown(pending))
  const choices = Sentences.choices(pending.request.save.length > 0)
  const reply = yield* lineThat((line) => replyOf(line, pending), choices)
  return Option.getOrElse(reply, () => Approvals.reject())
})

/** A diff takes the place of the arguments that it is made from. */
const shown = Effect.fnUntraced(function* (pending: Approvals.Pending) {
  const preview = yield* changePreview(pending)
  if (Option.isNone(preview)) return Display.prompt(pending)
  const path = pending.input?.["path"] ?? null
  const diff = Display.section(Sentences.changeHeading, preview.value)
  return [Display.prompt({ ...pending, input: { path } }), yield* coloured(diff)].join("\n")
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

const leave = "-"

/** One answer for each question, or undefined if the person leaves it to the model. */
export const askForAnswers = Effect.fnUntraced(function* (pending: Questions.Pending) {
  yield* Console.error(Questions.prompt(pending))
  const answers: Array<Questions.Answer> = []
  for (const [index, question] of pending.questions.entries()) {
    const hint = Sentences.answerTo(index + 1, question)
    const said = yield* lineThat((line) => (line === leave ? leave : typedAnswer(question, line)), hint)
    if (Option.isNone(said) || said.value === leave) return undefined
    answers.push(said.value)
  }
  return answers
})

/** Asks until a line means something. None at the end of input. */
const lineThat = Effect.fnUntraced(
  function* <A>(meaning: (line: string) => A | undefined, hint: string) {
    const terminal = yield* Terminal.Terminal
    for (;;) {
      yield* Console.error(hint)
      const meant = meaning((yield* terminal.readLine).trim())
      if (meant !== undefined) return Option.some(meant)
    }
  },
  Effect.catchTag("QuitError", () => Effect.succeedNone),
  Effect.onInterrupt(() => Console.error(Sentences.overMeanwhile))
)

const [red, green, usual] = ["\u{1b}[31m", "\u{1b}[32m", "\u{1b}[39m"]

/** Whoever sets NO_COLOR to something wants none. */
const coloured = Effect.fnUntraced(function* (diff: string) {
  const unwanted = yield* Effect.orElseSucceed(Config.String("NO_COLOR"), () => "")
  if (unwanted !== "") return diff
  return diff.replaceAll(/^ {2}\| ([-+]).*$/gm, (line, mark) => `${mark === "-" ? red : green}${line}${usual}`)
})
