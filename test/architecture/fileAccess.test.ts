import { assert, describe, it } from "@effect/vitest"
import { fileAccesses } from "./fileAccess.ts"
import { parse, sources } from "./sources.ts"

describe("files that a call names", () => {
  it("are reached through one module of the built-in tools", () => {
    assert.deepStrictEqual(sources.flatMap(fileAccesses), [])
    assert.isTrue(sources.some(({ package: name, path }) => name === "builtins" && path === "internal/pins.ts"))
  })
})

describe("the check of who reaches files", () => {
  it("reports every way to a file system, in whichever form", () => {
    const forms = [
      `import * as Fs from "node:fs"`,
      `import { open } from "fs/promises"`,
      `import * as FileSystem from "effect/FileSystem"`,
      `const later = import("node:fs")`,
      `export { openSync } from "fs"`
    ]
    for (const form of forms) assert.lengthOf(fileAccesses(parse("builtins", "Grep.ts", form)), 1, form)
  })

  it("leaves types, the keeper and other packages alone", () => {
    const form = `import * as Fs from "node:fs"`
    assert.deepStrictEqual(fileAccesses(parse("builtins", "A.ts", `import type { Dirent } from "node:fs"`)), [])
    assert.deepStrictEqual(fileAccesses(parse("builtins", "internal/pins.ts", form)), [])
    assert.deepStrictEqual(fileAccesses(parse("node", "A.ts", form)), [])
  })
})
