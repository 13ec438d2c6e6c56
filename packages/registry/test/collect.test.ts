import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const program = fileURLToPath(new URL("fixtures/collected.ts", import.meta.url))

describe("a turn that is held", () => {
  it("lets the executor of a closed registration be collected, and not that of an open one", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", program])
    assert.deepStrictEqual(JSON.parse(stdout), {
      alive: { registered: true, called: true, closed: false },
      offered: 1,
      settled: ["Succeeded", "Rejected"]
    })
  })
})
