/** Outputs for contracts whose outputs are objects: anything else stands in one, under `result`. */
import type * as Schema from "effect/Schema"
import type { Leaf } from "../Leaf.ts"

export const isObject = (value: unknown): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Nothing for a leaf without output. */
export const outputOf = (leaf: Leaf): Schema.Json | undefined => ("output" in leaf ? leaf.output : undefined)

/** `boxed` tells the decoder to open the box again. */
export const box = (output: Schema.Json): { readonly output: Schema.JsonObject; readonly boxed?: true } =>
  isObject(output) ? { output } : { output: { result: output }, boxed: true }

/** The field of a leaf, if there is an output. */
export const unbox = (
  output: Schema.JsonObject | null | undefined,
  isBoxed: boolean
): { readonly output?: Schema.Json } => {
  if (output === undefined || output === null) return {}
  return { output: isBoxed && output["result"] !== undefined ? output["result"] : output }
}

/** Whether a slot, believable or not yet known to be, says that the output stands in a box. */
export const saysBoxed = (slot: Schema.Json | undefined): boolean => isObject(slot) && slot["boxed"] === true
