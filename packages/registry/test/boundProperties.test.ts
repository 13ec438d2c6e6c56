import { assert, describe, it } from "@effect/vitest"
import { Settlement, ToolContent, ToolFailure } from "@haft/core"
import { OutputBounds } from "@haft/registry"
import { Arbitrary, Effect, Schema } from "effect"
import * as Arbitraries from "./support/arbitraries.ts"
import * as Bounds from "./support/bounds.ts"
import { readOf, textsOf } from "./support/read.ts"
import { failed, rejected, succeeded } from "./support/settlements.ts"

const assertWithin = (
  settlement: Settlement.Settlement,
  limits: { readonly bytes: number; readonly lines: number }
) => {
  const read = readOf(settlement)
  assert.isAtMost(read.bytes, Math.max(limits.bytes, OutputBounds.smallest.bytes))
  assert.isAtMost(read.lines, Math.max(limits.lines, OutputBounds.smallest.lines))
}

const marker =
  /(?:^|\n)\[(?:\d+ lines?, )?\d+ bytes left out here\. The complete output was kept as out_\d+\.\](?:\n|$)/

const runs = { arbitrary: { runs: 300 } }

describe("of any text", () => {
  it.effect.prop(
    "a model reads what is within the limits, well formed, and the rest is kept to the last byte",
    { text: Arbitraries.text, limits: Arbitraries.limits },
    ({ limits, text }) =>
      Effect.gen(function* () {
        const settlement = succeeded(text, [ToolContent.text(text)])
        const shown = yield* Bounds.bound(settlement, limits)
        assertWithin(shown, limits)
        if (shown === settlement) return assert.deepStrictEqual(yield* Bounds.keptTexts, [])
        assert(shown._tag === "Succeeded")
        assert.deepStrictEqual(yield* Bounds.keptTexts, [["text/plain", text.toWellFormed()]])
        const read = textsOf(shown.output.content)
        assert.strictEqual(shown.output.structured, read)
        assert.isTrue(read.isWellFormed())
        const [head = "", tail = ""] = read.split(marker)
        assert.isTrue(text.toWellFormed().startsWith(head) && text.toWellFormed().endsWith(tail))
        assert.isFalse(head.endsWith("\r") && text[head.length] === "\n", "a line break is not divided")
        assert.isFalse(tail.startsWith("\n") && text.at(-tail.length - 1) === "\r", "a line break is not divided")
        return undefined
      }).pipe(Effect.provide(Bounds.layer)),
    runs
  )
})

const image = (size: number, name: string | undefined): ToolContent.Media =>
  ToolContent.media({ mimeType: "image/png", data: new Uint8Array(size), ...(name === undefined ? {} : { name }) })

const part: Arbitrary.Arbitrary<ToolContent.ToolContent> = Arbitrary.map(
  Arbitrary.all([Arbitrary.schema(Schema.Literals(["text", "media", "named"])), Arbitraries.text]),
  ([kind, text]) => {
    if (kind === "text") return ToolContent.text(text)
    return image(text.length, kind === "named" ? text.slice(0, 600) : undefined)
  }
)

describe("of any parts beside any value", () => {
  it.effect.prop(
    "a model reads what is within the limits, in the order of the parts, with all media",
    { content: Arbitrary.array(part, { maxLength: 8 }), limits: Arbitraries.limits, structured: Arbitraries.json },
    ({ content, limits, structured }) =>
      Effect.gen(function* () {
        const before = JSON.stringify({ structured, content })
        const settlement = succeeded(structured, content)
        const shown = yield* Bounds.bound(settlement, limits)
        assertWithin(shown, limits)
        assert.strictEqual(JSON.stringify({ structured, content }), before, "the domain's value is untouched")
        assert(shown._tag === "Succeeded")
        const media = (parts: ReadonlyArray<ToolContent.ToolContent>) =>
          parts.flatMap((part) => (part._tag === "Media" ? [part.data] : []))
        assert.deepStrictEqual(media(shown.output.content), media(content))
        assert.deepStrictEqual(
          yield* Bounds.keptTexts,
          [
            ["text/plain", textsOf(content).toWellFormed()],
            ["application/json", JSON.stringify(structured)]
          ].slice(...keptOf(settlement, shown))
        )
        assert.strictEqual(shown.managed.length, (yield* Bounds.keptTexts).length)
        assert.isDefined(JSON.stringify(shown.output.structured))
      }).pipe(Effect.provide(Bounds.layer)),
    runs
  )
})

/** Which of text and value were cut. */
const keptOf = (settlement: Settlement.Succeeded, shown: Settlement.Succeeded): [number, number] => [
  textsOf(shown.output.content) === textsOf(settlement.output.content) ? 1 : 0,
  shown.output.structured === settlement.output.structured ? 1 : 2
]

const names = Arbitrary.array(Arbitraries.text, { maxLength: 5 })

const reason: Arbitrary.Arbitrary<ToolFailure.Reason> = Arbitrary.flatMap(
  Arbitrary.all([Arbitrary.schema(ToolFailure.Reason), names]),
  ([reason, names]) => Arbitrary.Constant(grown(reason, names))
)

const grown = (reason: ToolFailure.Reason, names: ReadonlyArray<string>): ToolFailure.Reason => {
  switch (reason._tag) {
    case "InvalidArguments":
      return { ...reason, violations: names.map((name) => ({ path: name, message: name, expected: name })) }
    case "NotFound":
      return { ...reason, resource: names.join(""), candidates: names }
    case "Denied":
      return { ...reason, feedback: names.join(""), rule: names[0] ?? "" }
    default:
      return reason
  }
}

const optional = <K extends string, A>(key: K, value: A, isGiven: boolean) => (isGiven ? { [key]: value } : {})

const failure: Arbitrary.Arbitrary<ToolFailure.ToolFailure> = Arbitrary.map(
  Arbitrary.all({
    reason,
    texts: Arbitrary.array(Arbitraries.text, { minLength: 4, maxLength: 4 }),
    data: Arbitraries.json,
    given: Arbitrary.array(Arbitrary.schema(Schema.Boolean), { minLength: 6, maxLength: 6 })
  }),
  ({ data, given, reason, texts: [message = "", hint = "", field = "", partial = ""] }) =>
    new ToolFailure.ToolFailure({
      reason,
      message,
      ...optional("hint", hint, given[0] === true),
      ...optional("field", field, given[1] === true),
      ...optional("details", data, given[2] === true),
      ...optional("partial", given[3] === true ? partial : data, given[4] === true),
      ...optional("retry", { runtime: true, model: false }, given[5] === true)
    })
)

const decodeSettlement = Schema.decodeUnknownSync(Settlement.Settlement)
const encodeFailure = Schema.encodeSync(ToolFailure.ToolFailure)
const encodeSettlement = Schema.encodeSync(Settlement.Settlement)

describe("of any failure", () => {
  it.effect.prop(
    "a model reads what is within the limits, with the kind and the advice, and it can be stored",
    { failure, limits: Arbitraries.limits },
    ({ failure, limits }) =>
      Effect.gen(function* () {
        const settlement = failed(failure)
        const shown = yield* Bounds.bound(settlement, limits)
        assertWithin(shown, limits)
        assert(shown._tag === "Failed")
        assert.strictEqual(shown.failure.reason._tag, failure.reason._tag)
        assert.deepStrictEqual(shown.failure.retry, failure.retry)
        assert.deepStrictEqual(decodeSettlement(JSON.parse(JSON.stringify(encodeSettlement(shown)))), shown)
        const kept = yield* Bounds.keptTexts
        if (shown === settlement) return assert.deepStrictEqual(kept, [])
        const apart = kept.find(([type]) => type === "text/plain")
        if (apart !== undefined) assert.strictEqual(apart[1], String(failure.partial).toWellFormed())
        const report = kept.find(([type]) => type === "application/json")
        const { partial, ...others } = encodeFailure(failure)
        const complete = apart === undefined && partial !== undefined ? { ...others, partial } : others
        if (report !== undefined) {
          assert.deepStrictEqual(JSON.parse(report[1] ?? ""), JSON.parse(JSON.stringify(complete)))
        }
        return assert.strictEqual(shown.managed.length, kept.length)
      }).pipe(Effect.provide(Bounds.layer)),
    runs
  )
})

const violation = Arbitrary.map(Arbitraries.text, (text) => ({
  path: text.slice(0, 200),
  code: "missing" as const,
  expected: text.slice(-200),
  received: "string"
}))

describe("of any rejection", () => {
  it.effect.prop(
    "a model reads what is within the limits, and is told how many violations there were",
    {
      violations: Arbitrary.array(violation, { maxLength: 32 }),
      message: Arbitraries.text,
      limits: Arbitraries.limits
    },
    ({ limits, message, violations }) =>
      Effect.gen(function* () {
        const rejection = { _tag: "InvalidInput", violations, violationsOmitted: 3 } as const
        const settlement = rejected(rejection, message)
        const shown = yield* Bounds.bound(settlement, limits)
        assertWithin(shown, limits)
        assert(shown._tag === "Rejected" && shown.rejection._tag === "InvalidInput")
        assert.strictEqual(
          shown.rejection.violations.length + shown.rejection.violationsOmitted,
          violations.length + rejection.violationsOmitted
        )
        assert.deepStrictEqual(
          yield* Bounds.keptTexts,
          shown === settlement ? [] : [["application/json", JSON.stringify({ message, rejection })]]
        )
      }).pipe(Effect.provide(Bounds.layer)),
    runs
  )
})
