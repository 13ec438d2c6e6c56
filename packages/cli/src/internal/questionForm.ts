/** Questions of a model as a form that an MCP client shows, and what is filled in as their answers. */
import * as Questions from "@haft/builtins/Questions"
import type * as McpClients from "@haft/mcp/McpClients"
import * as Sentences from "./sentences.ts"

export const formOf = (pending: Questions.Pending): McpClients.Form => ({
  message: Questions.prompt(pending),
  fields: Object.fromEntries(pending.questions.flatMap((question, index) => fieldsOf(question, index + 1)))
})

/** Several options are flags: not every client knows a choice of several. */
const fieldsOf = (
  { custom = true, multiple = false, options }: Questions.Question,
  number: number
): ReadonlyArray<readonly [string, McpClients.Field]> => {
  const labels = options.map(({ label }) => label)
  const title = Sentences.formTitles.answerTo(number)
  const words = { _tag: "Text", title: Sentences.formTitles.wordsFor(number), isRequired: labels.length === 0 } as const
  return [
    ...(multiple ? labels.map((label, index) => [option(number, index), { _tag: "Flag", title: label }] as const) : []),
    ...(multiple || labels.length === 0
      ? []
      : [[choice(number), { _tag: "Choice", title, options: labels, isRequired: !custom }] as const]),
    ...(custom ? [[own(number), words] as const] : [])
  ]
}

type Values = Extract<McpClients.Reply, { readonly _tag: "Filled" }>["values"]

export const answersOf = ({ questions }: Questions.Pending, values: Values): ReadonlyArray<Questions.Answer> =>
  questions.map(({ multiple = false, options }, index) => {
    const number = index + 1
    const words = values[own(number)]
    const custom = typeof words === "string" ? words : undefined
    if (multiple) {
      const selected = options.filter((_, at) => values[option(number, at)] === true).map(({ label }) => label)
      return { selected, ...(custom === undefined ? {} : { custom }) }
    }
    const chosen = values[choice(number)]
    if (typeof chosen !== "string") return { selected: [], ...(custom === undefined ? {} : { custom }) }
    // Only one of them can be the answer, and neither is to be lost.
    return custom === undefined ? { selected: [chosen] } : { selected: [], custom: `${chosen}: ${custom}` }
  })

const choice = (number: number) => `answer${number}`
const option = (number: number, index: number) => `option${number}_${index + 1}`
const own = (number: number) => `words${number}`
