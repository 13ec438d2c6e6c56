import { assert, describe, it } from "@effect/vitest"
import { Rule } from "@haft/policy"
import { Result, Schema } from "effect"
import { badInputs, isRuleCase } from "./corpus.ts"
import { expand } from "./expand.ts"

const Input = Schema.Struct({ pattern: Schema.String })

/** Whatever is accepted takes a bounded time, so what must be bounded may be either. */
const outcomes = { reject: ["refused"], accept: ["accepted"], bounded: ["accepted", "refused"] }

const cases = badInputs.filter(isRuleCase).map((entry) => [entry.id, entry.why, entry] as const)

describe("patterns of permission rules in the corpus", () => {
  it.each(cases)("%s: %s", (_, __, { input, must }) => {
    const { pattern } = Schema.decodeUnknownSync(Input)(expand(input))
    const decoded = Rule.decode([{ action: "edit", resource: pattern, effect: "allow" }])
    assert.include(outcomes[must], Result.isSuccess(decoded) ? "accepted" : "refused")
  })

  it("do not stand alone: a pattern of ours is accepted", () => {
    assert.isNotEmpty(cases)
    assert.isTrue(Result.isSuccess(Rule.decode([{ action: "edit", resource: "src/*.ts", effect: "allow" }])))
  })
})
