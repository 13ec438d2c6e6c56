import { assert, describe, it } from "@effect/vitest"
import { Tool } from "@haft/core"
import * as Testing from "@haft/core/testing"
import { Effect } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { type Repair, repairs } from "./corpus.ts"
import { openRepairs } from "./open.ts"

const root = join(import.meta.dirname, "../..")

/** Valid arguments that need no parser: whatever repair will be, they are accepted as they are. */
const isValidValue = ({ input, tier }: Repair): boolean => tier === "law" && typeof input !== "string"

const echo = ({ schema }: Repair) =>
  Tool.fromJsonSchema({ description: "", inputSchema: schema, patterns: "apply", execute: Effect.succeed })

const titled = (entries: ReadonlyArray<Repair>) => entries.map((entry) => [entry.name, entry] as const)

describe("valid arguments of the corpus", () => {
  it.effect.each(titled(repairs.filter(isValidValue)))("%s", ([, entry]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(entry.expect, { ok: entry.input })
      const { output } = yield* Testing.call(echo(entry), entry.input)
      assert.deepStrictEqual(JSON.parse(JSON.stringify(output.structured)), entry.input)
    })
  )
})

describe("the corpus of repairs", () => {
  it.each(titled(repairs))("runs or waits with: %s", (_, entry) => {
    assert.isTrue(isValidValue(entry) || Object.hasOwn(openRepairs, entry.tier))
  })

  it.each(Object.entries(openRepairs))("waits with tier %s only as long as there is no %s", (tier, file) => {
    assert.isFalse(existsSync(join(root, file)))
    assert.isTrue(repairs.some((entry) => entry.tier === tier && !isValidValue(entry)))
  })

  it("names every entry once", () => {
    assert.strictEqual(new Set(repairs.map(({ name }) => name)).size, repairs.length)
  })
})
