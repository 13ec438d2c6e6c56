import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

describe("without anything that only Node has", () => {
  it("envelopes are written and read as everywhere", async () => {
    const script = fileURLToPath(new URL("fixtures/browser.ts", import.meta.url))
    const { stdout } = await promisify(execFile)(process.execPath, [script])
    assert.deepStrictEqual(JSON.parse(stdout), [
      "undefined",
      "a8f124c2-918f-59f1-9e47-b7bc59d34893",
      "Failure.NotFound",
      "Failure"
    ])
  })
})
