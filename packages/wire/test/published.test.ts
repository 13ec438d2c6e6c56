import { assert, describe, it } from "@effect/vitest"
import { Leaf, Uicp } from "@haft/wire"
import { Ajv2020 } from "ajv/dist/2020.js"
import { outcomes } from "./support/outcomes.ts"

/**
 * What uicp's own JSON Schema says about a response, written down from its field table. It does not know the first of
 * two phases, which the contract describes elsewhere.
 */
const published = new Ajv2020({ strict: false }).compile({
  type: "object",
  required: ["call_id", "status", "metrics", "provenance"],
  properties: {
    call_id: { type: "string", pattern: "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$" },
    status: { enum: ["success", "retryable_error", "terminal_error", "invalid_request"] },
    output: true,
    error: { type: "object", required: ["code", "message", "details"], properties: { code: { type: "string" } } },
    side_effects: { type: "array", items: { type: "object" } },
    metrics: { type: "object", required: ["duration_ms"], properties: { duration_ms: { type: "integer" } } },
    provenance: { type: "object", required: ["tool_id", "tool_version"] },
    warnings: { type: "array", items: { type: "string" } },
    commit_token: { type: ["string", "null"] }
  },
  additionalProperties: false
})

describe("a uicp response", () => {
  for (const tag of Leaf.tags.filter((tag) => tag !== "Prepared")) {
    it.prop(
      `for ${tag} fits the contract's own schema`,
      [outcomes(tag)],
      ([{ outcome }]) => {
        const envelope = JSON.parse(JSON.stringify(Uicp.encode(outcome)))
        assert.isTrue(published(envelope))
        assert.strictEqual("error" in envelope, envelope.status !== "success")
      },
      { arbitrary: { runs: 5 } }
    )
  }

  it("that is none does not fit it", () => {
    assert.isFalse(published({ call_id: "1", status: "success", metrics: {}, provenance: {} }))
  })
})
