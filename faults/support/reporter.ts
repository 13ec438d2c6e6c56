/**
 * Prints the table of all scenarios when the run is over. A whole run that went well also looks whether `docs/reliability.md`
 * names the same scenarios, and writes its results there if it is asked to by `--update`.
 */
import * as Fs from "node:fs"
import { fileURLToPath } from "node:url"
import type { Reporter, TestModule } from "vitest/node"
import * as Document from "./document.ts"
import { plain, type Titled } from "./table.ts"

const document = fileURLToPath(new URL("../../docs/reliability.md", import.meta.url))

/** A run of some files, or of some tests of them, says nothing about the others. */
const isWhole = process.env["HAFT_FAULTS"] === "whole" || process.env["HAFT_FAULTS"] === "record"
const isRecorded = process.env["HAFT_FAULTS"] === "record"

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
  onTestRunEnd(modules: ReadonlyArray<TestModule>, _errors: unknown, reason: string): void {
    const rows = rowsOf(modules)
    if (rows.length === 0) return
    process.stdout.write(`\n${plain(rows)}\n\n${Document.totals(rows)}\n`)
    if (!isWhole || reason !== "passed") return
    const before = Fs.readFileSync(document, "utf8")
    if (isRecorded) Fs.writeFileSync(document, Document.record(before, rows))
    const missing = Document.differences(Fs.readFileSync(document, "utf8"), rows)
    if (missing.length === 0) return
    process.stderr.write(`docs/reliability.md is not about this suite:\n${missing.join("\n")}\n`)
    process.exitCode = 1
  }
}
