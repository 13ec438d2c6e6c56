/**
 * Which tools a model is shown. A rule that denies a tool altogether hides it, because offering what is always refused
 * wastes turns. Hiding is not authorisation: what a tool may do is decided when it asks.
 */

/** A permission rule, as far as it concerns whole tools. `*` in a pattern stands for any text. */
export interface Rule {
  /** Pattern of tool names. */
  readonly action: string
  /** Pattern of what the tool would act on; only `*` denies all of it. */
  readonly resource: string
  readonly effect: "allow" | "ask" | "deny"
}

/** The last rule about a tool decides: it is hidden if that one denies everything. */
export const isVisible = (rules: ReadonlyArray<Rule>, name: string): boolean => {
  const last = rules.findLast(({ action }) => matches(action, name))
  return last === undefined || last.effect !== "deny" || last.resource !== "*"
}

/** Linear in the length of both: the parts between the stars are looked for from left to right. */
const matches = (pattern: string, name: string): boolean => {
  const [first = "", ...parts] = pattern.split("*")
  const last = parts.pop()
  if (last === undefined) return pattern === name
  if (!name.startsWith(first) || name.length < first.length + last.length || !name.endsWith(last)) return false
  const end = name.length - last.length
  const position = parts.reduce((from, part) => {
    const found = from < 0 ? -1 : name.indexOf(part, from)
    return found < 0 ? -1 : found + part.length
  }, first.length)
  return position >= 0 && position <= end
}
