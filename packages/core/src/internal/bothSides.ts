/** Puts together what is wrong with arguments as they were sent and with what they would decode to. */
import type { Violation } from "../InvalidInput.ts"
import { Found } from "./found.ts"
import { formatPath } from "./path.ts"

/**
 * What the decoded side has against fields that fit as they were sent takes its place among the wrong values, which come
 * in the order of the schema. `fields` are the declared ones. About a field that does not fit as it was sent the decoded
 * side has nothing to say.
 */
export const bothSides = (sent: Found, decoded: Found, fields: ReadonlyArray<string>): Found => {
  const [before, after] = [sent.complete, decoded.complete]
  if (before === undefined || after === undefined) return sent
  const blamed = new Set(before.map(fieldOf))
  const more = after.filter((violation) => fields.includes(fieldOf(violation)) && !blamed.has(fieldOf(violation)))
  const order = (violation: Violation) => (isAboutKeys(violation) ? -1 : fields.indexOf(fieldOf(violation)))
  const found = new Found()
  const all = [...before, ...more].toSorted((left, right) => order(left) - order(right))
  for (const violation of all) found.note(violation.code, () => violation)
  return found
}

/** The argument that a violation is in: the first key of its path. */
export const fieldOf = ({ path }: Violation): string => {
  const [, quoted, plain = ""] = /^(?:\[("(?:[^"\\]|\\.)*")\]|([^.[]*))/.exec(path) ?? []
  return quoted === undefined ? plain : String(JSON.parse(quoted))
}

/** Missing and unknown keys of the arguments themselves come first. */
const isAboutKeys = (violation: Violation): boolean =>
  (violation.code === "missing" || violation.code === "unknown_key") &&
  violation.path === formatPath([fieldOf(violation)])
