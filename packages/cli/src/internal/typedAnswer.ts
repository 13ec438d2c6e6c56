/** What a line that somebody typed says to a question of a model. */
import type * as Questions from "@haft/builtins/Questions"

/** Undefined if it says nothing that fits. */
export const typedAnswer = (
  { custom = true, multiple = false, options }: Questions.Question,
  line: string
): Questions.Answer | undefined => {
  const text = line.trim()
  if (text === "") return undefined
  const labels = options.map(({ label }) => label)
  // A label first: it may be a number itself.
  const named = labels.find((label) => label.toLowerCase() === text.toLowerCase())
  if (named !== undefined) return { selected: [named] }
  if (labels.length > 0 && numbers.test(text)) return numbered(labels, text, multiple)
  return custom ? { selected: [], custom: text } : undefined
}

const numbers = /^\d+(?:[\s,]+\d+)*$/

const numbered = (labels: ReadonlyArray<string>, text: string, multiple: boolean): Questions.Answer | undefined => {
  const chosen = [...new Set(text.split(/[\s,]+/).map((number) => labels[Number(number) - 1]))]
  const selected = chosen.filter((label) => label !== undefined)
  const fits = selected.length === chosen.length && (multiple || selected.length === 1)
  return fits ? { selected } : undefined
}
