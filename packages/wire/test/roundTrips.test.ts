import { assert, describe, it } from "@effect/vitest"
import { ContextOs, type Contract, Leaf, Orloj, Osaurus, Outcome, Slot, Uicp } from "@haft/wire"
import { Arbitrary, Schema } from "effect"
import { hinted, whole, without } from "./support/answers.ts"
import { sent } from "./support/json.ts"
import { type Ended, outcomes } from "./support/outcomes.ts"
import { rowOf } from "./support/table.ts"
import { validator } from "./support/validators.ts"

const runs = { arbitrary: { runs: 12, size: 6 } }

const document = Orloj.make()
const interop = Orloj.make({ shape: "interop" })

const envelopeIn = <A>(encoded: Contract.Encoded<A>): A | undefined =>
  encoded._tag === "Envelope" ? sent(encoded.envelope) : undefined

const property = (
  tag: Leaf.Tag,
  name: string,
  arbitrary: Arbitrary.Arbitrary<Ended>,
  check: (ended: Ended) => void
): void => it.prop(`${tag} ${name}`, [arbitrary], ([ended]) => check(ended), runs)

describe.each(Leaf.tags)("%s comes back", (tag) => {
  const any = outcomes(tag)

  const validOrloj = validator("orloj", "response")
  property(tag, "from Orloj", any, ({ outcome, repeating }) => {
    const envelope = envelopeIn(document.encode(outcome))
    if (envelope === undefined) return assert.strictEqual(tag, "Pending.External")
    validOrloj(envelope)
    assert.deepStrictEqual(sent(document.decode(envelope, repeating)), without(whole(outcome), "policyDecisionId"))
  })

  const validInterop = validator("orloj", "interop-response")
  property(tag, "from Orloj's Go implementation", Arbitrary.map(any, filled), ({ outcome, repeating }) => {
    const envelope = envelopeIn(interop.encode(outcome))
    if (envelope === undefined) return assert.strictEqual(tag, "Pending.External")
    validInterop(envelope)
    const hasTextOutput = "output" in outcome.leaf && typeof outcome.leaf.output === "string"
    const answer = interop.decode(envelope, { ...repeating, hasTextOutput })
    assert.deepStrictEqual(sent(answer), without(whole(outcome), "policyDecisionId"))
  })

  const validUicp = validator("uicp", "response")
  property(tag, "from uicp", any, ({ outcome, repeating }) => {
    const envelope = sent(Uicp.encode(outcome))
    validUicp(envelope)
    assert.deepStrictEqual(sent(Uicp.decode(envelope, repeating)), {
      ...without(whole(outcome), "policyDecisionId", "attemptCount"),
      leaf: hinted(outcome.leaf, (own) => own || rowOf(tag).text?.hint),
      toolId: outcome.call.toolId ?? outcome.call.toolName,
      version: outcome.call.version ?? "0.0.0"
    })
  })

  const validContextOs = validator("contextos", "tool-result")
  property(tag, "from ContextOS", any, ({ outcome, repeating }) => {
    const envelope = sent(ContextOs.encode(outcome, { runId: "run_1" }))
    validContextOs(envelope)
    assert.deepStrictEqual(sent(ContextOs.decode(envelope, repeating)), {
      ...whole(outcome),
      leaf: hinted(outcome.leaf, (own) => own || undefined),
      toolId: outcome.call.toolId ?? outcome.call.toolName
    })
  })

  const validOsaurus = validator("osaurus", "envelope")
  property(tag, "from Osaurus", any, ({ outcome, repeating }) => {
    const envelope = envelopeIn(Osaurus.encode(outcome, { operational: "surface" }))
    if (envelope === undefined) return assert.strictEqual(tag, "Interrupted")
    validOsaurus(envelope)
    const journal = envelope.ok ? { journal: Slot.fromOutcome(outcome) } : {}
    const answer = Osaurus.decode(envelope, { ...repeating, ...journal })
    const { leaf, ...rest } = without(whole(outcome), "policyDecisionId", "attemptCount", "durationMs")
    assert.deepStrictEqual(sent(without(answer, "leaf")), rest)
    assert.deepStrictEqual(sent(held(answer.leaf)), sent(held(leaf)))
  })
})

/** Details are texts there, and an empty one is none. */
const filled = ({ outcome, repeating }: Ended): Ended => {
  const { output, ...fields } = { output: undefined, ...outcome.leaf }
  const entries = Object.entries(fields).map(([name, value]) => [name, value === "" ? "x" : value])
  const leaf = decodeLeaf({ ...Object.fromEntries(entries), ...(output === undefined ? {} : { output }) })
  return { outcome: { ...outcome, leaf }, repeating }
}

const decodeLeaf = Schema.decodeUnknownSync(Leaf.Leaf)

/** What a model's envelope has room for. */
const held = (leaf: Leaf.Leaf): unknown => {
  const { text } = rowOf(leaf._tag)
  if (leaf._tag.startsWith("Operational.")) return { tag: leaf._tag, ...text }
  if (!("message" in leaf)) return { ...leaf, output: leaf.output ?? null }
  const [first] = "violations" in leaf ? leaf.violations : []
  return {
    tag: leaf._tag,
    message: leaf.message,
    hint: leaf.hint,
    partial: "partial" in leaf ? leaf.partial : undefined,
    advice: Leaf.adviceOf(leaf),
    ...(leaf._tag === "Denied.Policy" || leaf._tag === "Denied.Approver"
      ? { origin: leaf.origin, by: leaf.by, feedback: leaf.feedback }
      : {}),
    expected: first?.expected
  }
}

describe("what a caller wrote", () => {
  const output = { ...JSON.parse('{"__proto__":1}'), constructor: [], Result: " A ", nested: { X: -0.5 } }

  it.each([output, [], "text", '{"ok":false}', 0, false, null])("is an output that no codec changes: %j", (output) => {
    const outcome = outcomeWith(Leaf.make("Success.Read", { output }))
    const leaves = [
      document.decode(envelopeIn(document.encode(outcome))),
      Uicp.decode(sent(Uicp.encode(outcome))),
      ContextOs.decode(sent(ContextOs.encode(outcome))),
      Osaurus.decode(envelopeIn(Osaurus.encode(outcome)), { journal: Slot.fromOutcome(outcome) })
    ].map(({ leaf }) => sent(leaf))
    for (const leaf of leaves) assert.deepStrictEqual(leaf, sent(outcome.leaf))
  })

  it("is a detail that ours do not hide, even under the same key", () => {
    const details = { hint: 1, fix_hint: "a", haft: "b", violations: "c", partial: null, cause_code: 2, details: {} }
    const outcome = outcomeWith(Leaf.make("Failure.NotFound", { details, partial: "half", candidates: ["x"] }))
    const leaves = [
      document.decode(envelopeIn(document.encode(outcome))),
      interop.decode(envelopeIn(interop.encode(outcome))),
      Uicp.decode(sent(Uicp.encode(outcome))),
      ContextOs.decode(sent(ContextOs.encode(outcome)))
    ].map(({ leaf }) => sent(leaf))
    for (const leaf of leaves) assert.deepStrictEqual(leaf, sent(outcome.leaf))
  })
})

const outcomeWith = (leaf: Leaf.Leaf): Outcome.Outcome =>
  Outcome.make({ leaf, effect: { _tag: "None" }, call: { callId: "req-1", toolName: "read" } })
