/** Columns for people. */
import * as CliOutput from "effect/cli/CliOutput"

/** Every column is as wide as it needs, except for the last one, which is left as it is. */
export const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map((row) => CliOutput.displayWidth(row[column] ?? ""))))
  return all
    .map((row) => row.map((cell, column) => (column === row.length - 1 ? cell : padded(cell, widths[column] ?? 0))))
    .map((row) => row.join("  ").trimEnd())
    .join("\n")
}

const padded = (cell: string, width: number): string => cell + " ".repeat(width - CliOutput.displayWidth(cell))
