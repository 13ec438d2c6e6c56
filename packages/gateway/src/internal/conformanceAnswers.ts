/** What of a vector's expectation holds for an outcome that was provoked: other calls have other ids and times. */
import type * as Conformance from "@haft/wire/conformance"
import * as Leaf from "@haft/wire/Leaf"
import * as Schema from "effect/Schema"

const isObject = Schema.is(Schema.JsonObject)

/** Everything about what a tool said; of what a server said itself, the words are its own. */
export const provoked = (contract: string, vector: Conformance.Vector): Schema.Json => {
  if (vector.operation === "request") return refusalOf(contract, vector.expected)
  if (!isObject(vector.expected)) return vector.expected
  const { error, output, side_effects, status } = vector.expected
  const isTold = vector.operation === "encode" && saysTool(vector.outcome)
  return present({ status, output, side_effects, error: isTold ? error : classified(error) })
}

const decodeLeaf = Schema.decodeUnknownOption(Schema.Struct({ leaf: Leaf.Leaf }))

const saysTool = (outcome: Schema.JsonObject): boolean => {
  const decoded = decodeLeaf(outcome)
  return decoded._tag === "Some" && decoded.value.leaf._tag.startsWith("Failure.")
}

const classified = (error: Schema.Json | undefined): Schema.Json | undefined => {
  if (!isObject(error)) return error
  const { code, reason, retryable } = error
  return present({ code, reason, retryable })
}

/** A request that cannot be read is answered in the contract, as what it is. */
const refusalOf = (contract: string, expected: Schema.Json): Schema.JsonObject => {
  const isVersion = isObject(expected) && expected["error"] === "EnvelopeError.UnsupportedVersion"
  if (contract === "orloj") return { status: "error", error: { code: "invalid_input", retryable: false } }
  return isVersion
    ? { status: "terminal_error", error: { code: "C-CONTRACT-ENVELOPE" } }
    : { status: "invalid_request", error: { code: "I-REQ-SCHEMA" } }
}

const present = (fields: Readonly<Record<string, Schema.Json | undefined>>): Schema.JsonObject => {
  const found: Record<string, Schema.Json> = {}
  for (const [key, value] of Object.entries(fields)) if (value !== undefined) found[key] = value
  return found
}
