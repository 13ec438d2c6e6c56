import { assert, describe, it } from "@effect/vitest"
import * as Conformance from "@haft/wire/conformance"
import { Result } from "effect"
import * as Fs from "node:fs"
import { ours } from "./support/ours.ts"
import { table } from "./support/table.ts"

const folder = new URL("../vectors/", import.meta.url)

const files = Fs.readdirSync(folder).map((file) => ({
  name: file.replace(/\.json$/, ""),
  vectors: Result.getOrThrow(Conformance.parse(Fs.readFileSync(new URL(file, folder), "utf8")))
}))

const find = (name: string): Conformance.Vectors => {
  const file = files.find((file) => file.name === name)
  if (file === undefined) throw new Error(`There are no vectors called ${name}`)
  return file.vectors
}

describe.each(files)("our codec of $name", ({ name, vectors }) => {
  it("gives every answer that the vectors expect", () => {
    assert.deepStrictEqual(Conformance.check(vectors, ours[name] ?? {}), [])
  })

  it("is asked for every outcome", () => {
    const encoded = new Set<string>(
      vectors.vectors.flatMap(({ name, operation }) => (operation === "encode" ? [name] : []))
    )
    const missing = table.outcomes.filter(({ tag }) => !encoded.has(tag)).map(({ tag }) => tag)
    assert.deepStrictEqual(
      missing,
      name === "orloj-interop" ? ["Success.Read", "Success.Effect", "Prepared", "Pending.External"] : []
    )
  })
})

describe("the runner", () => {
  const vectors = find("osaurus")

  it("says where an implementation is wrong", () => {
    const [vector] = vectors.vectors
    assert.strictEqual(vector?.name, "Success.Read")
    const wrong = { encode: () => ({ ok: true, tool: "other" }) }
    assert.deepStrictEqual(Conformance.check({ ...vectors, vectors: vectors.vectors.slice(0, 1) }, wrong), [
      { vector: "Success.Read", path: "/tool", expected: "search_web", received: "other" },
      { vector: "Success.Read", path: "/result", expected: { hits: 3 } }
    ])
  })

  it("takes an implementation that throws for one that gives no answer", () => {
    const encodes = vectors.vectors.filter(({ expected, operation }) => operation === "encode" && expected !== null)
    const mismatches = Conformance.check(vectors, {
      encode: () => {
        throw new Error("not written yet")
      }
    })
    assert.isAtLeast(mismatches.length, encodes.length)
  })

  it("asks an implementation for nothing that it does not do", () => {
    assert.deepStrictEqual(Conformance.check(vectors, {}), [])
  })

  it("lets an answer say more than is expected, and no list be longer", () => {
    const vector = { name: "v", operation: "request", envelope: {}, expected: { a: [1] } } as const
    const check = (answer: object) =>
      Conformance.check({ contract: "uicp", vectors: [vector] }, { request: () => JSON.parse(JSON.stringify(answer)) })
    assert.deepStrictEqual(check({ a: [1], b: 2 }), [])
    assert.strictEqual(check({ a: [1, 2] }).length, 1)
  })

  it("refuses a file that is none", () => {
    assert.isTrue(Result.isFailure(Conformance.parse(`{"contract":"other","vectors":[]}`)))
    assert.isTrue(Result.isFailure(Conformance.parse("no JSON")))
  })
})
