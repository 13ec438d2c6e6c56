import { assert, beforeAll, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const program = fileURLToPath(new URL("fixtures/allocations.ts", import.meta.url))

/** In megabytes: more than a round allocates, so that nothing is collected while it counts. */
const youngGeneration = ["--max-semi-space-size=128", "--min-semi-space-size=128"]

interface Bytes {
  readonly settled: number
  readonly governed: number
  readonly keyed: number
}

describe("governing a small call on stores in memory", () => {
  let bytes: Bytes
  beforeAll(async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", ...youngGeneration, program])
    bytes = JSON.parse(stdout)
  }, 120_000)

  it("allocates less than 3 times what settling it does", () => {
    assert.isAbove(bytes.settled, 4_000, "settling is counted")
    assert.isAbove(bytes.governed, bytes.settled, "governing is more than that")
    assert.isBelow(bytes.governed / bytes.settled, 3)
  })

  it("allocates less than 4.25 times that under a key", () => {
    assert.isAbove(bytes.keyed, bytes.governed, "a key is not for nothing")
    assert.isBelow(bytes.keyed / bytes.settled, 4.25)
  })
})
