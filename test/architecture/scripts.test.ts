import { assert, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { repository } from "./sources.ts"

const read = (path: string): string => Fs.readFileSync(Path.join(repository, path), "utf8")

/** The scripts that a text runs with `command`, in order. */
const scriptsIn = (text: string, command: string): ReadonlyArray<string> =>
  [...text.matchAll(new RegExp(String.raw`(?:^|&& )${command} ([\w:]+)`, "gm"))].map(([, script = ""]) => script)

describe("what has to hold before a change lands", () => {
  it("is the same for a contributor and for a new machine", () => {
    const verify: string = JSON.parse(read("package.json")).scripts.verify
    const scripts = scriptsIn(verify, "node --run")
    assert.isNotEmpty(scripts)
    assert.deepStrictEqual(scripts, scriptsIn(read(".ci/run"), "pnpm"))
  })

  it("is read from commands on lines of their own and in chains", () => {
    assert.deepStrictEqual(scriptsIn("run a && run b:c\n# run d\nrun e", "run"), ["a", "b:c", "e"])
  })
})
