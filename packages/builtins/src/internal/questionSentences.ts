/** Every sentence about questions that a model or the person who is asked reads. */
import { asLine, onOneLine } from "@haft/core/VisibleText"
import type { Answer, Pending, Question } from "../Questions.ts"

export const questionDescription = [
  "Ask the user one or several questions and wait for the answers. Use it when the task leaves a choice open that the user",
  "has to make, not for what you can find out yourself. Offer options where you can, the one that you recommend first.",
  "Unless custom is false the user can also answer in words of their own."
].join(" ")

export const questionFields = {
  questions: "The questions, asked together.",
  question: "The whole question, in one or a few sentences.",
  header: "A few words that name the question.",
  options: "What the user can choose from. Without options the answer is in the user's own words.",
  label: "What the user chooses, in a few words. Labels of one question differ.",
  description: "What choosing it means.",
  multiple: "Whether several options can be chosen.",
  custom: "Whether the user may answer in their own words instead. Without it they may."
}

export const someText = "text that is not blank"

export const differentLabels = "options with different labels"

export const answerable = "a question with options, or one that may be answered in the user's own words"

export const unattended = "Nobody is there to answer."
export const closed = "The question was withdrawn because this place was closed."
export const dismissed = "The user did not want to answer."
export const expired = (limitMs: number): string => `Nobody answered within ${Math.round(limitMs / 60_000)} minutes.`

export const decideYourself = "Decide yourself what serves the user best, go on, and say what you assumed."

/** The questions with their answers, as the model reads them. */
export const answered = (
  questions: ReadonlyArray<Pick<Question, "question">>,
  answers: ReadonlyArray<Answer>
): string => answers.map((answer, index) => `${questions[index]?.question ?? ""}\n${answerLines(answer)}`).join("\n\n")

const answerLines = ({ custom, selected }: Answer): string =>
  [...selected.map((label) => `- ${label}`), ...(custom === undefined ? [] : [`In the user's words: ${custom}`])].join(
    "\n"
  )

/** The whole of it for a terminal. */
export const prompt = ({ context, questions }: Pending): string =>
  [
    "A model has a question.",
    `${bar}agent ${onOneLine(context.agent)} in session ${onOneLine(context.sessionID)}`,
    ...questions.flatMap((question, index) => [
      `Question ${index + 1}: ${manner(question)}.`,
      ...questionLines(question)
    ])
  ].join("\n")

const manner = ({ custom = true, multiple = false, options }: Question): string => {
  if (options.length === 0) return "answer in your own words"
  return `choose ${multiple ? "one or several" : "one"}${custom ? ", or answer in your own words" : ""}`
}

const questionLines = ({ header, options, question }: Question): ReadonlyArray<string> => [
  ...(header === undefined ? [] : framed(header)),
  ...framed(question),
  ...options.flatMap(({ description, label }, index) => [
    `  Option ${index + 1}:`,
    ...framed(label),
    ...(description === undefined ? [] : framed(description))
  ])
]

const bar = "  | "

/** Behind a bar on every line, so that no text can pass for one of ours. */
const framed = (text: string): ReadonlyArray<string> => text.split("\n").map((line) => bar + asLine(line))
