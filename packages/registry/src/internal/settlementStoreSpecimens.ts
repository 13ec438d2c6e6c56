/** Calls, ends and assertions for the conformance suite of the settlement store. */
import * as Agent from "@haft/core/Agent"
import * as Session from "@haft/core/Session"
import * as Settlement from "@haft/core/Settlement"
import * as SettlementStore from "@haft/core/SettlementStore"
import * as SideEffect from "@haft/core/SideEffect"
import * as ToolCall from "@haft/core/ToolCall"
import * as ToolContent from "@haft/core/ToolContent"
import * as ToolFailure from "@haft/core/ToolFailure"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** A call that only looks so far. */
export const begun = (
  call: string,
  options?: { readonly session?: string; readonly message?: string; readonly name?: string; readonly begunAt?: number }
): SettlementStore.Begun => ({
  context: {
    sessionID: Session.ID.make(options?.session ?? "session"),
    agent: Agent.ID.make("agent"),
    assistantMessageID: Session.MessageID.make(options?.message ?? "message"),
    toolCallID: ToolCall.ID.make(call)
  },
  name: options?.name ?? "tool",
  registrationDigest: "digest",
  inputFingerprint: "fingerprint",
  determinism: "side_effectful",
  effectPossible: false,
  begunAt: options?.begunAt ?? 1_700_000_000_000.5
})

/** The same call by somebody who computes its fields when they are read, so that a spread of it has none. */
export const computed = (call: SettlementStore.Begun): SettlementStore.Begun => new Computed(call)

class Computed implements SettlementStore.Begun {
  readonly #call: SettlementStore.Begun

  constructor(call: SettlementStore.Begun) {
    this.#call = call
  }

  get context() {
    return this.#call.context
  }

  get name() {
    return this.#call.name
  }

  get registrationDigest() {
    return this.#call.registrationDigest
  }

  get inputFingerprint() {
    return this.#call.inputFingerprint
  }

  get determinism() {
    return this.#call.determinism
  }

  get effectPossible() {
    return this.#call.effectPossible
  }

  get begunAt() {
    return this.#call.begunAt
  }
}

/** Ended with a text for the model. */
export const settled = ({ context, name }: SettlementStore.Begun, text = "text"): SettlementStore.Ended => ({
  _tag: "Settled",
  settlement: Settlement.succeeded({
    ...shared(context, name),
    output: { structured: { text }, content: [ToolContent.text(text)] }
  })
})

/** Ended because its caller went away. */
export const interrupted: SettlementStore.Ended = { _tag: "Interrupted", effect: SideEffect.unknown }

/** Every way in which a call can end. */
export const ends = ({ context, name }: SettlementStore.Begun): ReadonlyArray<SettlementStore.Ended> => {
  const common = shared(context, name)
  const content = [
    ToolContent.text("Zürich 東京 🛠 \u0000 ' \" \\ \n"),
    ToolContent.media({ mimeType: "image/png", data: Uint8Array.of(0, 127, 255) })
  ]
  const failure = ToolFailure.notFound({ message: "no such file" })
  const rejection: Settlement.Rejection = { _tag: "StaleCall" }
  return [
    { _tag: "Settled", settlement: Settlement.succeeded({ ...common, output: { structured: null, content } }) },
    { _tag: "Settled", settlement: Settlement.failed({ ...common, failure }) },
    { _tag: "Settled", settlement: Settlement.rejected({ ...common, rejection, message: "the tool has changed" }) },
    interrupted,
    { _tag: "Died", effect: SideEffect.committed([{ kind: "write", target: "a.txt", bytes: 1 }]) },
    { _tag: "Operational", effect: SideEffect.none, code: "InvalidOutput" }
  ]
}

const shared = (context: SettlementStore.Begun["context"], name: string) => ({
  context,
  name,
  effect: SideEffect.none,
  warnings: [],
  timing: { startedAt: 1, endedAt: 2.5 },
  managed: []
})

/** A record in a word and the text it would be stored as, so that two can be compared whatever they are made of. */
export const running = (begun: SettlementStore.Begun): string => `Running ${encodeBegun(begun)}`
/** As `running`. */
export const unfinished = (begun: SettlementStore.Begun): string => `Unfinished ${encodeBegun(begun)}`
/** As `running`. */
export const ended = (begun: SettlementStore.Begun, end: SettlementStore.Ended): string =>
  `Ended ${encodeBegun(begun)} ${encodeEnded(end)}`
/** Of a call that the store does not know. */
export const absent = "absent"

/** What a store says about a call, to be compared with the words above. */
export const told = (record: Option.Option<SettlementStore.CallRecord>): string => {
  if (Option.isNone(record)) return absent
  switch (record.value._tag) {
    case "Running":
      return running(record.value.begun)
    case "Unfinished":
      return unfinished(record.value.begun)
    case "Ended":
      return ended(record.value.begun, record.value.ended)
  }
}

/** An end in a word, to be compared with another. */
export const end = (ended: SettlementStore.Ended): string => encodeEnded(ended)

const encodeBegun = Schema.encodeSync(Schema.fromJsonString(SettlementStore.Begun))
const encodeEnded = Schema.encodeSync(Schema.fromJsonString(SettlementStore.Ended))

/** Dies when the store is wrong: no caller can do anything about it. */
export const expect = (what: string, actual: unknown, expected: unknown): Effect.Effect<void> =>
  actual === expected
    ? Effect.void
    : Effect.die(new Error(`${what}: expected ${shown(expected)}, got ${shown(actual)}`))

/** Enough to tell two records apart; one may be a megabyte. */
const shown = (value: unknown): string => String(value).slice(0, 1000)

/** The record of a call is this one. */
export const expectFound = (store: SettlementStore.Interface, { context }: SettlementStore.Begun, expected: string) =>
  Effect.flatMap(store.find(context), (record) => expect("find", told(record), expected))

/** The call is new, or is allowed to be: it begins. */
export const mustBegin = (
  store: SettlementStore.Interface,
  call: SettlementStore.Begun,
  options?: SettlementStore.BeginOptions
) => Effect.flatMap(store.begin(call, options), (record) => expect("begin", told(record), absent))

/** The operation is refused with an error of this tag. */
export const expectRefused = (what: string, effect: Effect.Effect<unknown, { readonly _tag: string }>, tag: string) =>
  Effect.flatMap(Effect.match(effect, { onFailure: (error) => error._tag, onSuccess: () => "no error" }), (actual) =>
    expect(what, actual, tag)
  )

/** How many of several attempts at the same time had this result. */
export const countOf = <A>(results: ReadonlyArray<A>, isCounted: (result: A) => boolean): number =>
  results.filter(isCounted).length
