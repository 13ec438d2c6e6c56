import { assert, describe, it } from "@effect/vitest"
import { CallKey } from "@haft/wire"
import { Schema } from "effect"
import { createHash } from "node:crypto"
// @ts-expect-error -- Tests are not emitted, so the path that could not be rewritten never is.
import { sha1, sha256, utf8 } from "../src/internal/sha.ts"
import { table } from "./support/table.ts"

const { idempotencyKey, traceId, uuidV5 } = table.vectors

describe("digests", () => {
  it.each([0, 1, 55, 56, 63, 64, 65, 119, 120, 1000])("are those of everybody else for %i bytes", (length) => {
    const message = Uint8Array.from({ length }, (_, index) => (index * 7) % 256)
    assert.strictEqual(sha1(message), createHash("sha1").update(message).digest("hex"))
    assert.strictEqual(sha256(message), createHash("sha256").update(message).digest("hex"))
  })

  it.prop("are those of everybody else for any text", [Schema.String], ([text]) => {
    const message = Buffer.from(text, "utf8")
    assert.strictEqual(sha1(utf8(text)), createHash("sha1").update(message).digest("hex"))
    assert.strictEqual(sha256(utf8(text)), createHash("sha256").update(message).digest("hex"))
  })
})

describe("an idempotency key", () => {
  it.each(idempotencyKey)("is the digest of $canonical", ({ canonical, key, ...parts }) => {
    const { fn, input, toolId, versionRange } = parts
    assert.strictEqual(CallKey.canonical([toolId, fn, input, versionRange]), canonical)
    assert.strictEqual(CallKey.idempotencyKey(parts), key)
  })

  it("does not depend on the order of keys or the spelling of numbers", () => {
    const parts = { toolId: "t", fn: "f", versionRange: "1.x" }
    const [left, right] = ['{"b":1.0,"a":[1e3]}', '{"a":[1000],"b":1}'].map((text) => JSON.parse(text))
    assert.strictEqual(
      CallKey.idempotencyKey({ ...parts, input: left }),
      CallKey.idempotencyKey({ ...parts, input: right })
    )
    assert.notStrictEqual(
      CallKey.idempotencyKey({ ...parts, input: left }),
      CallKey.idempotencyKey({ ...parts, input: { a: [1000], b: 2 } })
    )
  })
})

describe("an id in uuid form", () => {
  it.each(uuidV5.cases)("is $uuid for the call $callId", ({ callId, uuid }) => {
    assert.strictEqual(CallKey.toUuid(callId), uuid)
  })

  it("stays as it is, whatever its version and case", () => {
    for (const id of ["00000000-0000-0000-0000-000000000000", "A8F124C2-918F-59F1-9E47-B7BC59D34893"]) {
      assert.strictEqual(CallKey.toUuid(id), id)
    }
  })

  it.prop("is always one", [Schema.String], ([callId]) => CallKey.isUuid(CallKey.toUuid(callId)))

  it.each(traceId)("is a trace id with dashes: $dashed", ({ dashed, hex }) => {
    assert.strictEqual(CallKey.dashed(hex), dashed)
  })
})
