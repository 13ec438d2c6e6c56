/**
 * Prints the table of all scenarios when the run is over. A whole run that went well also looks whether `docs/reliability.md`
 * names the same scenarios, and with `HAFT_RECORD` writes its results there.
 */
import * as Fs from "node:fs"
import { basename } from "node:path"
import { fileURLToPath } from "node:url"
import type { Reporter, TestModule } from "vitest/node"
import * as Document from "./document.ts"
import { plain, type Titled } from "./table.ts"

const folder = fileURLToPath(new URL("..", import.meta.url))
const document = fileURLToPath(new URL("../../docs/reliability.md", import.meta.url))

/** A run of some files, or of some tests of them, says nothing about the others. */
const isWhole = (modules: ReadonlyArray<TestModule>): boolean => {
  const run = new Set(modules.map(({ moduleId }) => basename(moduleId)))
  const suites = Fs.readdirSync(folder).filter((name) => name.endsWith(".test.ts"))
  const isRun = (module: TestModule) =>
    [...module.children.allTests()].every((test) => test.result().state === "passed")
  return suites.every((name) => run.has(name)) && modules.every(isRun)
}

const rowsOf = (modules: ReadonlyArray<TestModule>): ReadonlyArray<Titled> =>
  modules
    .toSorted((one, other) => one.moduleId.localeCompare(other.moduleId))
    .flatMap((module) =>
      [...module.children.allTests()].flatMap((test) => {
        const { fault } = test.meta()
        return fault === undefined ? [] : [{ title: titleOf(test.fullName), ...fault }]
      })
    )

/** Describes and tests are parts of one sentence. */
const titleOf = (fullName: string): string => fullName.replaceAll(" > ", " ")

export default class FaultReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>): void {
    const rows = rowsOf(modules)
    if (rows.length === 0) return
    const again = `To make the same random choices again: HAFT_SEED=${process.env["HAFT_SEED"]} pnpm faults`
    process.stdout.write(`\n${plain(rows)}\n\n${Document.totals(rows)}\n${again}\n`)
    if (!isWhole(modules)) return
    const before = Fs.readFileSync(document, "utf8")
    if (process.env["HAFT_RECORD"] !== undefined) Fs.writeFileSync(document, Document.record(before, rows))
    const missing = Document.differences(Fs.readFileSync(document, "utf8"), rows)
    if (missing.length === 0) return
    process.stderr.write(`docs/reliability.md is not about this suite:\n${missing.join("\n")}\n`)
    process.exitCode = 1
  }
}
