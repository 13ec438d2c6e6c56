/** Our codecs, as the runner of the vectors wants an implementation: JSON in, JSON out. */
import { ContextOs, type Contract, type EnvelopeError, Leaf, Orloj, Osaurus, Outcome, Slot, Uicp } from "@haft/wire"
import type { Implementation } from "@haft/wire/conformance"
import { SideEffect } from "@haft/core"
import { Result, Schema } from "effect"

const { attempts, call } = Outcome.Outcome.fields

const Given = Schema.Struct({
  leaf: Leaf.Leaf,
  effect: SideEffect.SideEffect,
  call: Schema.Struct({ ...call.fields, fn: Schema.optionalKey(Schema.String) }),
  determinism: Schema.Literals(["pure", "idempotent", "side_effectful"]),
  attempts: Schema.optionalKey(attempts),
  idempotency: Schema.optionalKey(Schema.Struct({ key: Schema.String }))
})

const toOutcome = (given: Schema.JsonObject): Outcome.Outcome =>
  Outcome.make(Schema.decodeUnknownSync(Given, { onExcessProperty: "error" })(given))

const toOptions = Schema.decodeUnknownSync(
  Schema.Struct({
    access: Schema.optionalKey(Schema.Literals(["read", "write", "unknown"])),
    determinism: Schema.optionalKey(Schema.Literals(["pure", "idempotent", "side_effectful"])),
    hasKey: Schema.optionalKey(Schema.Boolean),
    hasTextOutput: Schema.optionalKey(Schema.Boolean),
    journal: Schema.optionalKey(Slot.Result)
  })
)

const json = (value: unknown): Schema.Json => JSON.parse(JSON.stringify(value))

const envelopeIn = (encoded: Contract.Encoded<unknown>): Schema.Json =>
  encoded._tag === "Envelope" ? json(encoded.envelope) : null

const requestIn = (request: Result.Result<unknown, EnvelopeError.DecodeError>): Schema.Json =>
  Result.match(request, { onSuccess: json, onFailure: (error) => ({ error: error._tag, paths: pathsOf(error) }) })

const pathsOf = (error: EnvelopeError.DecodeError): ReadonlyArray<string> =>
  error._tag === "EnvelopeError.UnsupportedVersion" ? [error.field] : error.violations.map(({ path }) => path)

const ofOrloj = (codec: Orloj.Codec): Implementation => ({
  encode: (outcome) => envelopeIn(codec.encode(toOutcome(outcome))),
  decode: (envelope, options) => json(codec.decode(envelope, toOptions(options))),
  request: (envelope) => requestIn(codec.decodeRequest(envelope))
})

/** By the name of the file of vectors. */
export const ours: Readonly<Record<string, Implementation>> = {
  orloj: ofOrloj(Orloj.make()),
  "orloj-interop": ofOrloj(Orloj.make({ shape: "interop" })),
  uicp: {
    encode: (outcome) => json(Uicp.encode(toOutcome(outcome))),
    decode: (envelope, options) => json(Uicp.decode(envelope, toOptions(options))),
    request: (envelope) => requestIn(Uicp.decodeRequest(envelope))
  },
  contextos: {
    encode: (outcome, options) => json(ContextOs.encode(toOutcome(outcome), options)),
    decode: (envelope, options) => json(ContextOs.decode(envelope, toOptions(options))),
    request: (envelope) => requestIn(ContextOs.decodeRequest(envelope))
  },
  osaurus: {
    encode: (outcome, { operational }) =>
      envelopeIn(Osaurus.encode(toOutcome(outcome), operational === "surface" ? { operational } : {})),
    decode: (envelope, options) => json(Osaurus.decode(envelope, toOptions(options)))
  }
}
