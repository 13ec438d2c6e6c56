/** What has to be sent to a server so that it comes to the outcome of a vector. */
import * as CallKey from "@haft/wire/CallKey"
import type * as Conformance from "@haft/wire/conformance"
import * as Leaf from "@haft/wire/Leaf"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Input } from "./conformanceTools.ts"

export type Contract = "orloj" | "uicp"

/** One call of one of the three tools, or of none. */
interface Call {
  readonly tool: string
  readonly input: Schema.Json
  readonly attempts: number
  readonly timeoutMs?: number
  readonly range?: string
  /** Whether it says so in the slot, which not every server reads. */
  readonly needsSlot?: boolean
}

interface About {
  readonly index: number
  readonly now: number
  readonly readsSlots: boolean
}

/** None for a vector that cannot be provoked. All requests have the same key; the answer to the last one counts. */
export const of = (
  contract: Contract,
  vector: Conformance.Vector,
  about: About
): Option.Option<ReadonlyArray<Schema.Json>> => {
  if (vector.operation === "decode") return Option.none()
  if (vector.operation === "request") return isRefused(vector) ? Option.some([vector.envelope]) : Option.none()
  return Option.flatMap(decodeOutcome(vector.outcome), (outcome) => {
    const calls = callsFor(contract, outcome)
    const isPossible = about.readsSlots || contract === "uicp" || !calls.some(({ needsSlot }) => needsSlot === true)
    if (calls.length === 0 || !isPossible) return Option.none()
    return Option.some(calls.map((call) => envelopeOf(contract, call, about)))
  })
}

/** A request that is right asks for a tool that only its author has. */
const isRefused = ({ expected }: Extract<Conformance.Vector, { readonly operation: "request" }>): boolean =>
  typeof expected === "object" && expected !== null && "error" in expected

const Outcome = Schema.Struct({
  leaf: Leaf.Leaf,
  effect: Schema.Struct({ _tag: Schema.String, mutations: Schema.optionalKey(Schema.Json) }),
  determinism: Schema.optionalKey(Schema.String),
  attempts: Schema.optionalKey(Schema.Array(Schema.Json))
})
type Outcome = typeof Outcome.Type

const decodeOutcome = Schema.decodeUnknownOption(Outcome)

const [pure, sideEffectful] = ["conformance_pure", "conformance_side_effectful"] as const

/** Long enough for a server that is busy, and short enough to wait for. */
const hangMs = 50
const nothing: Input = { end: "give", output: { given: true } }

const callsFor = (contract: Contract, { attempts = [], determinism, effect, leaf }: Outcome): ReadonlyArray<Call> => {
  const count = Math.max(1, attempts.length)
  const ended = (tool: string, input: Input): Call => ({ tool, input, attempts: count })
  switch (leaf._tag) {
    case "Success.Read":
      return [ended(pure, { end: "give", output: leaf.output ?? null })]
    case "Success.Effect":
      return [ended(sideEffectful, { end: "give", output: leaf.output ?? null, ...committing(effect) })]
    case "Rejected.UnknownTool":
      return [{ ...ended(pure, nothing), tool: "conformance_of_nobody" }]
    case "Rejected.InvalidInput":
      return [{ ...ended(pure, nothing), input: { end: 7 } }]
    case "Rejected.VersionUnresolved":
      return [{ ...ended(pure, nothing), range: "99.x", needsSlot: true }]
    case "Rejected.IdempotencyConflict":
      return [ended(sideEffectful, nothing), { ...ended(sideEffectful, { end: "give" }), needsSlot: true }]
    case "TimedOut.EffectNone":
      return [{ ...ended(pure, { end: "hang" }), timeoutMs: hangMs }]
    case "TimedOut.EffectUnknown":
      return [{ ...ended(sideEffectful, { end: "hang", effect: "starting" }), timeoutMs: hangMs }]
    case "Operational.Defect":
      return [ended(pure, { end: "throw" })]
    case "Operational.InvalidOutput":
      return [ended(pure, { end: "lie" })]
    case "Rejected.ContractVersion":
      return contract === "orloj" ? [{ ...ended(pure, nothing), range: "" }] : []
    default: {
      const failure = failureOf(leaf)
      const begun = effect._tag === "Unknown" ? ({ effect: "starting" } as const) : {}
      return failure === undefined
        ? []
        : [ended(`conformance_${determinism ?? "pure"}`, { end: "fail", failure, ...begun })]
    }
  }
}

const committing = ({ mutations }: Outcome["effect"]) =>
  Array.isArray(mutations) && mutations.length > 0 ? ({ effect: "committed", mutations } as const) : {}

const kinds = /^(?:Failure\.(\w+)|(Denied)\.(?:Policy|Approver))$/u

/** The failure that a tool would have to make, if there is one. */
const failureOf = ({ _tag, ...fields }: Leaf.Leaf): Schema.JsonObject | undefined => {
  const [, kind, denied] = kinds.exec(_tag) ?? []
  if (kind === undefined && denied === undefined) return undefined
  const { details, field, hint, message, origin: _, partial, retry, ...own } = fields as Record<string, Schema.Json>
  const shared = Object.entries({ details, field, hint, message, partial, retry }).filter(
    ([, value]) => value !== undefined
  )
  return { ...Object.fromEntries(shared), reason: { ...own, _tag: kind ?? denied ?? "" } }
}

const envelopeOf = (contract: Contract, call: Call, about: About): Schema.Json =>
  contract === "orloj" ? orlojOf(call, about) : uicpOf(call, about)

const keyOf = ({ index, now }: About): string => `conformance-${now}-${index}`

const timeoutMs = 10_000

const orlojOf = (call: Call, about: About): Schema.Json => ({
  // A vector about versions asks for one that is not there.
  tool_contract_version: call.range === "" ? "v2" : "v1",
  request_id: keyOf(about),
  tool: { name: call.tool },
  input: call.input,
  runtime: { timeout_ms: call.timeoutMs ?? timeoutMs, max_attempts: call.attempts, max_backoff_ms: 1 },
  haft: { v: 1, idempotencyKey: keyOf(about), ...(call.range ? { versionRange: call.range } : {}) }
})

const uicpOf = (call: Call, about: About): Schema.Json => ({
  call_id: CallKey.toUuid(keyOf(about)),
  tool_id: call.tool,
  tool_version: call.range ?? "1.x",
  fn: "invoke",
  input: call.input,
  context: { actor_id: "agent://conformance", timezone: "UTC", trace_id: CallKey.toUuid("conformance"), env: "dev" },
  constraints: {
    timeout_ms: call.timeoutMs ?? timeoutMs,
    deadline_unix_ms: about.now + 2 * timeoutMs,
    idempotency_key: keyOf(about),
    retry_policy: { max_attempts: call.attempts, base_ms: 1, cap_ms: 1, jitter: "none" }
  }
})
