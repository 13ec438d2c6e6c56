/** One outcome as text in whichever contract the reader speaks: what a command line prints of a settled call. */
import * as ContextOs from "./ContextOs.ts"
import * as Contract from "./Contract.ts"
import * as Orloj from "./Orloj.ts"
import * as Osaurus from "./Osaurus.ts"
import type { Outcome } from "./Outcome.ts"
import * as Uicp from "./Uicp.ts"

/** What some contracts want to be told, or let a host decide. */
export interface Options extends Orloj.Settings, ContextOs.ResultOptions, Osaurus.EncodeOptions {}

/** Indented for people, except for the contract whose text is for models. Not every outcome has an envelope. */
export const render = (
  contract: Contract.Contract,
  outcome: Outcome,
  options: Options = {}
): Contract.Encoded<string> => {
  switch (contract) {
    case "orloj":
      return map(Orloj.make(options).encode(outcome), indented)
    case "uicp":
      return Contract.envelope(indented(Uicp.encode(outcome)))
    case "contextos":
      return Contract.envelope(indented(ContextOs.encode(outcome, options)))
    case "osaurus":
      return map(Osaurus.encode(outcome, options), Osaurus.stringify)
  }
}

const indented = (envelope: object): string => JSON.stringify(envelope, undefined, 2)

const map = <A, B>(encoded: Contract.Encoded<A>, f: (envelope: A) => B): Contract.Encoded<B> =>
  encoded._tag === "NoEnvelope" ? encoded : Contract.envelope(f(encoded.envelope))
