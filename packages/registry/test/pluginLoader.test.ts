import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { join } from "node:path"

/** Of a process that loads all of Effect on a busy machine. */
const longTime = 120_000

describe("plugins that Node itself loads", () => {
  it(
    "come from files, directories and packages anywhere, share the host's modules, and say what is wrong with them",
    () => {
      const program = join(import.meta.dirname, "fixtures/pluginLoader.ts")
      const lines = execFileSync(process.execPath, [program], { encoding: "utf8", stdio: "pipe" }).trim().split("\n")
      const capabilities: ReadonlyArray<string> = []
      assert.deepStrictEqual(Object.fromEntries(lines.map((line) => JSON.parse(line))), {
        "a file outside, with types": { id: "typed", capabilities },
        "a directory": { id: "many", version: "1", capabilities },
        "a directory of which another file has changed": { id: "many", version: "2", capabilities },
        "a package": { id: "haft-plugin-x", capabilities },
        "a package that is not there":
          "haft-plugin-y cannot be loaded. Install what it imports where Node looks for it from there, or bundle the plugin into one file.",
        "TypeScript that is not only types":
          "./enum.ts cannot be loaded. Node only takes types away: do without enums and namespaces, or compile it first.",
        "no syntax": "./syntax.ts cannot be loaded. Mend its syntax.",
        "an import that leads nowhere":
          "./imports.ts cannot be loaded. Install what it imports where Node looks for it from there, or bundle the plugin into one file."
      })
    },
    longTime
  )
})
