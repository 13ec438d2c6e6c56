import { assert, beforeAll, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const program = fileURLToPath(new URL("fixtures/allocations.ts", import.meta.url))

/** In megabytes: more than a round allocates, so that nothing is collected while it counts. */
const youngGeneration = ["--max-semi-space-size=128", "--min-semi-space-size=128"]

interface Bytes {
  readonly hand: number
  readonly settled: number
  readonly deadline: number
}

describe("settling a small call on stores in memory", () => {
  let bytes: Bytes
  beforeAll(async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", ...youngGeneration, program])
    bytes = JSON.parse(stdout)
  }, 120_000)

  it("allocates less than 1.2 times what decoding, executing and encoding by hand do", () => {
    assert.isAbove(bytes.hand, 2_000, "the work by hand is counted")
    assert.isAbove(bytes.settled, bytes.hand, "settling is more than that work")
    assert.isBelow(bytes.settled / bytes.hand, 1.2)
  })

  it("allocates less than 1.75 times that with a deadline", () => {
    assert.isAbove(bytes.deadline, bytes.settled, "a deadline is not for nothing")
    assert.isBelow(bytes.deadline / bytes.hand, 1.75)
  })
})
