import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const program = fileURLToPath(new URL("fixtures/making.ts", import.meta.url))

/** In megabytes: more than a round allocates, so that nothing is collected while it counts. */
const youngGeneration = ["--max-semi-space-size=128", "--min-semi-space-size=128"]

describe("making a tool", () => {
  it("allocates less than a quarter of what writing its JSON Schema as a whole does", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", ...youngGeneration, program])
    const bytes: { readonly making: number; readonly writing: number } = JSON.parse(stdout)
    assert.isAbove(bytes.making, 500, "making is counted")
    assert.isBelow(bytes.making / bytes.writing, 0.25)
  }, 120_000)
})
