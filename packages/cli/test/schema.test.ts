import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { configSchema } from "../scripts/configSchema.ts"
import { project } from "./support/command.ts"
import { Effect } from "effect"

const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"))

describe("what the package says about itself", () => {
  it("has a JSON Schema of haft.json that is what the configuration is today", () => {
    assert.deepStrictEqual(read("../schemas/haft.schema.json"), JSON.parse(configSchema))
  })

  it.effect("names the version of its package", () =>
    Effect.gen(function* () {
      const { haft } = yield* project()
      assert.include((yield* haft(["--version"])).out, read("../package.json").version)
    })
  )
})
