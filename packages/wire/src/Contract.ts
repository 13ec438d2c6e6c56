/** The four contracts by name, and what writing something in one of them gives. */
import * as Schema from "effect/Schema"

export const Contract = Schema.Literals(["orloj", "uicp", "contextos", "osaurus"])
export type Contract = typeof Contract.Type

/** An envelope, or the fact that the contract has none for this outcome. */
export type Encoded<Envelope> =
  | { readonly _tag: "Envelope"; readonly envelope: Envelope }
  | { readonly _tag: "NoEnvelope"; readonly httpStatus?: number }

/** The contract has words for it. */
export const envelope = <Envelope>(envelope: Envelope): Encoded<Envelope> => ({ _tag: "Envelope", envelope })

/** The contract has none; over HTTP a bare status may stand for it. */
export const noEnvelope = (httpStatus?: number): Encoded<never> =>
  httpStatus === undefined ? { _tag: "NoEnvelope" } : { _tag: "NoEnvelope", httpStatus }
