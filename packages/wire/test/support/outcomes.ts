/** Outcomes of any leaf, as a gateway could have made them, with whatever text and JSON a generator thinks of. */
import { SideEffect } from "@haft/core"
import { Leaf, Outcome, type Retry, type TraceContext } from "@haft/wire"
import { Arbitrary, Schema } from "effect"
// @ts-expect-error -- Tests are not emitted, so the path that could not be rewritten never is.
import { effectsOf } from "../../src/internal/effects.ts"
import { readable, sent } from "./json.ts"

const digits = (count: number) =>
  Arbitrary.map(
    Arbitrary.array(Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 15 }))), {
      minLength: count,
      maxLength: count
    }),
    (values) => values.map((value) => value.toString(16)).join("")
  )

const Extras = Schema.Struct({
  parent: Schema.Boolean,
  sampled: Schema.optionalKey(Schema.Boolean),
  tracestate: Schema.optionalKey(Schema.String),
  baggage: Schema.optionalKey(Schema.String),
  external: Schema.Literals(["none", "trace", "both"]),
  own: Schema.Literals(["none", "trace", "both"])
})

/** With ids of the W3C form, with others, with both, and with none. */
export const traces = Arbitrary.map(
  Arbitrary.all({ traceId: digits(32), spanId: digits(16), extras: Arbitrary.schema(Extras) }),
  ({ extras: { external, own, parent, ...extras }, spanId, traceId }): TraceContext.Trace | undefined => {
    const trace = {
      ...extras,
      ...(own === "none" ? {} : { traceId }),
      ...(own === "both" ? { spanId } : {}),
      ...(parent ? { parentSpanId: spanId } : {}),
      ...(external === "none"
        ? {}
        : { external: { traceId: "trace-abc", ...(external === "both" ? { spanId: "span" } : {}) } })
    }
    return Object.keys(trace).length === 0 ? undefined : trace
  }
)

const { attempts, governance, timing, ...fields } = Outcome.Outcome.fields

const Rest = Schema.Struct({
  id: fields.id,
  call: fields.call,
  attempts: attempts.check(Schema.isMaxLength(3)),
  timing,
  warnings: fields.warnings,
  artifacts: fields.artifacts,
  citations: fields.citations,
  riskTags: fields.riskTags,
  governance,
  costCents: fields.costCents,
  dryRun: Schema.Boolean
})

const Circumstances = Schema.Struct({
  rest: Rest,
  mutations: Schema.Array(SideEffect.Mutation),
  determinism: Schema.Literals(["pure", "idempotent", "side_effectful"]),
  hasKey: Schema.Boolean,
  replayed: Schema.Boolean,
  effect: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 11 }))
})

/** An outcome, and what was known about repeating the call. */
export interface Ended {
  readonly outcome: Outcome.Outcome
  readonly repeating: Required<Retry.Repeating>
}

const decodeOutcome = Schema.decodeUnknownSync(Outcome.Outcome)

/** As it would be after it was stored: JSON has no minus zero. */
const stored = (outcome: Outcome.Outcome): Outcome.Outcome => sent(decodeOutcome(readable(outcome)))

/** `Leaf.make` names the first argument at fault. */
const remade = (leaf: Leaf.Leaf): Leaf.Leaf => {
  if (leaf._tag !== "Failure.InvalidArguments") return leaf
  const [first] = leaf.violations
  return first === undefined || leaf.field !== undefined ? leaf : { ...leaf, field: first.path }
}

const effectOf = (tag: Leaf.Tag, choice: number, mutations: ReadonlyArray<SideEffect.Mutation>) => {
  const possible: ReadonlyArray<SideEffect.SideEffect["_tag"]> = effectsOf[tag]
  const effect = possible[choice % possible.length] ?? "Unknown"
  return effect === "Committed" ? SideEffect.committed(mutations) : { _tag: effect }
}

const makeOutcomes = (tag: Leaf.Tag): Arbitrary.Arbitrary<Ended> =>
  Arbitrary.map(
    Arbitrary.all({
      leaf: Arbitrary.schema(Leaf.Leaf.cases[tag]),
      about: Arbitrary.schema(Circumstances),
      trace: traces
    }),
    ({ about, leaf, trace }) => {
      const { determinism, effect, hasKey, mutations, replayed, rest } = about
      const outcome = Outcome.make({
        ...rest,
        ...(trace === undefined ? {} : { trace }),
        leaf: remade(leaf),
        effect: effectOf(tag, effect, mutations),
        determinism,
        idempotency: { replayed, ...(hasKey ? { key: "a key of some length" } : {}) }
      })
      return { outcome: stored(outcome), repeating: { determinism, hasKey } }
    }
  )

const made = new Map<Leaf.Tag, Arbitrary.Arbitrary<Ended>>()

/** Outcomes with this leaf. */
export const outcomes = (tag: Leaf.Tag): Arbitrary.Arbitrary<Ended> => {
  const arbitrary = made.get(tag) ?? makeOutcomes(tag)
  made.set(tag, arbitrary)
  return arbitrary
}
