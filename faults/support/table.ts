/** The rows of all scenarios as a table, in text for a terminal and in Markdown for `docs/reliability.md`. */
import type { Row } from "./scenario.ts"

/** A scenario with the sentence that it shows. */
export interface Titled extends Row {
  readonly title: string
}

const heads = ["Scenario", "Fault", "Keeps", "Tries", "Hit", "Lost", "Double", "Corrupt", "Leaked"]

const cellsOf = ({ fault, keeps, seen, title, window }: Titled): ReadonlyArray<string> => [
  title,
  fault,
  keeps.join(" "),
  `${seen.tries}`,
  window === undefined ? "–" : `${seen.hits}`,
  `${seen.lost}`,
  `${seen.double}`,
  `${seen.corrupt}`,
  `${seen.leaked}`
]

/** Columns whose cells are figures. */
const firstFigure = 3

/** Longer cells go on in the next line, so that the table fits where it is read. */
const widest = [58, 34, 24]

/** For a terminal. */
export const plain = (rows: ReadonlyArray<Titled>): string => {
  const lines = [heads, ...rows.map(cellsOf)].flatMap((cells) => wrapped(cells))
  const widths = heads.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)))
  return lines
    .map((cells) =>
      cells
        .map((cell, column) => padded(cell, widths[column] ?? 0, column))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

const padded = (cell: string, width: number, column: number): string =>
  column < firstFigure ? cell.padEnd(width) : cell.padStart(width)

/** One row as as many lines as its longest cell takes. */
const wrapped = (cells: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const columns = cells.map((cell, column) => linesOf(cell, widest[column] ?? cell.length))
  const height = Math.max(...columns.map(({ length }) => length))
  return Array.from({ length: height }, (_, line) => columns.map((lines) => lines[line] ?? ""))
}

const linesOf = (text: string, width: number): ReadonlyArray<string> => {
  const lines = [""]
  for (const word of text.split(" ")) {
    const last = lines.at(-1) ?? ""
    if (last === "") lines[lines.length - 1] = word
    else if (last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

/** For a document. */
export const markdown = (rows: ReadonlyArray<Titled>): string => {
  const line = (cells: ReadonlyArray<string>) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`
  const rule = heads.map((_, column) => (column < firstFigure ? "---" : "---:"))
  return [line(heads), line(rule), ...rows.map((row) => line(cellsOf(row)))].join("\n")
}

/** What the moments are that tries aim at. */
export const windows = (rows: ReadonlyArray<Titled>): ReadonlyArray<string> => [
  ...new Set(rows.flatMap(({ window }) => (window === undefined ? [] : [window])))
]
