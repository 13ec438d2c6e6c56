import { assert, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"

/** Belong to transports to tools that run elsewhere and to an MCP client, which are not built. */
const open = [22, 23, 24, 25, 26, 27, 28, 29, 31, 45, 46, 48]

const all = Array.from({ length: 48 }, (_, index) => index + 1)

const cited = new Set(
  Fs.readdirSync(new URL(".", import.meta.url))
    .filter((file) => file.endsWith(".test.ts") && file !== "criteria.test.ts")
    .flatMap((file) => Array.from(Fs.readFileSync(new URL(file, import.meta.url), "utf8").matchAll(/"M(\d+): /g)))
    .map(([, number]) => Number(number))
)

describe("the criteria M1 to M48 of governed calls", () => {
  it("each have a test that cites them, or are open", () => {
    assert.deepStrictEqual(
      all.filter((number) => !cited.has(number)),
      open
    )
  })
})
