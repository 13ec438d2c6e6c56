/** Draws what the demo prints as a picture for the README: `node packages/cli/scripts/drawDemo.ts`. */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const state = mkdtempSync(join(tmpdir(), "haft-picture-"))
const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))

/** Both streams in the order in which they are written. */
const recorded = async (): Promise<ReadonlyArray<string>> => {
  const demo = spawn("/bin/sh", ["-c", `"${process.execPath}" "${main}" demo 2>&1`], {
    env: { HAFT_STATE: state, PATH: process.env["PATH"] }
  })
  const lines: Array<string> = []
  for await (const line of createInterface({ input: demo.stdout }))
    lines.push(line.replaceAll(state, "~/.local/state/haft"))
  return lines
}

const columns = 110
const lineHeight = 18
const colours: ReadonlyArray<readonly [RegExp, string]> = [
  [/^→/, "#8ab4f8"],
  [/^✓/, "#81c995"],
  [/^✗/, "#f28b82"],
  [/^[ !]/, "#9aa0a6"]
]

const colourOf = (line: string): string => colours.find(([pattern]) => pattern.test(line))?.[1] ?? "#e8eaed"

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const shortened = (line: string): string => (line.length > columns ? `${line.slice(0, columns - 1)}…` : line)

const lines = ["$ haft demo", ...(await recorded())].map(shortened)
rmSync(state, { recursive: true })
const height = lines.length * lineHeight + 32
const texts = lines.map(
  (line, index) =>
    `<text x="16" y="${(index + 1) * lineHeight + 10}" fill="${colourOf(line)}" xml:space="preserve">${escaped(line)}</text>`
)
writeFileSync(
  new URL("../../../docs/demo.svg", import.meta.url),
  `<svg xmlns="http://www.w3.org/2000/svg" width="960" height="${height}" role="img" aria-label="The demo in a terminal">
<rect width="100%" height="100%" rx="8" fill="#202124"/>
<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13">
${texts.join("\n")}
</g>
</svg>
`
)
