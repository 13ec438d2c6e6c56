/**
 * Sections of a prompt. Our own lines stand at the left; whatever comes from elsewhere stands behind a bar, and what is
 * left out is counted on a line of ours.
 */

/** What a person can look through; the host has the rest. */
const maxLines = { head: 150, tail: 50 }
const maxLength = { head: 1500, tail: 500 }

const bar = "  | "

/** Each line is one that has been made visible. */
export const section = (heading: string, lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (lines.length === 0) return []
  const { head, tail } = maxLines
  const left = lines.length - head - tail
  if (left <= 0) return [heading, ...lines.flatMap(framed)]
  return [
    heading,
    ...lines.slice(0, head).flatMap(framed),
    omitted(left, "lines"),
    ...lines.slice(-tail).flatMap(framed)
  ]
}

const framed = (line: string): ReadonlyArray<string> => {
  const { head, tail } = maxLength
  const left = line.length - head - tail
  if (left <= 0) return [bar + line]
  const [first, last] = [boundary(line, head), boundary(line, line.length - tail)]
  return [bar + line.slice(0, first), omitted(last - first, "characters"), bar + line.slice(last)]
}

/** Not inside a character that has two halves. */
const boundary = (line: string, index: number): number => {
  const code = line.charCodeAt(index)
  return code >= 0xdc00 && code <= 0xdfff ? index + 1 : index
}

const omitted = (count: number, what: "lines" | "characters"): string => `  [${count} ${what} are not shown]`
