/** Why a document is not an envelope of its contract, or a call cannot be written as one. */
import { Violation } from "@haft/core/InvalidInput"
import * as Schema from "effect/Schema"
import { Contract } from "./Contract.ts"
import * as Leaf from "./Leaf.ts"

const shared = {
  contract: Contract,
  /** What the document was taken for. */
  envelope: Schema.String,
  message: Schema.String
}

/** The document violates the shape of the envelope: everything that is wrong with it, within limits. */
export class InvalidEnvelope extends Schema.TaggedError<InvalidEnvelope>()("EnvelopeError.InvalidEnvelope", {
  ...shared,
  violations: Schema.Array(Violation),
  violationsOmitted: Schema.Int
}) {}

/** The document says that it follows a version of the contract that is not ours. Nothing else of it was looked at. */
export class UnsupportedVersion extends Schema.TaggedError<UnsupportedVersion>()("EnvelopeError.UnsupportedVersion", {
  ...shared,
  field: Schema.String,
  expected: Schema.String,
  received: Schema.String
}) {}

/** The contract demands something that the call does not have. */
export class Unencodable extends Schema.TaggedError<Unencodable>()("EnvelopeError.Unencodable", {
  ...shared,
  path: Schema.String,
  expected: Schema.String
}) {}

/** Why a document could not be read. */
export type DecodeError = InvalidEnvelope | UnsupportedVersion

/** The refusal of a request that could not be read. */
export const toLeaf = (error: DecodeError): Leaf.Leaf => {
  const { message } = error
  if (error._tag === "EnvelopeError.InvalidEnvelope") {
    const { violations, violationsOmitted } = error
    return Leaf.make("Rejected.InvalidInput", {
      violations,
      ...(violationsOmitted === 0 ? {} : { violationsOmitted })
    })
  }
  const { expected, field, received } = error
  return Leaf.make("Rejected.ContractVersion", { message, field, expected, received })
}
