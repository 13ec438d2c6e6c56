/** Reads the arguments of one call, whatever a model may have sent. */
import * as JsonGuard from "@haft/core/JsonGuard"
import * as JsonText from "@haft/core/JsonText"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { LoweredTool } from "./lowerTool.ts"
import { read } from "./readDialect.ts"
import { isJsonObject } from "./shape.ts"

/** What is no JSON object within the limits goes on as it came, and is refused where all arguments are looked at. */
export const readArguments = ({ named, reading }: LoweredTool, input: unknown): unknown => {
  if (reading._tag === "Same") return input
  const guarded: Result.Result<Schema.Json, unknown> =
    typeof input === "string" ? JsonText.read(input) : JsonGuard.guard(input)
  const json = Result.getOrUndefined(guarded)
  return json !== undefined && isJsonObject(json) ? read(reading, json, named) : input
}
