/** Reads the arguments of one call, whatever a model may have sent. */
import * as ArgumentRepair from "@haft/core/ArgumentRepair"
import * as JsonGuard from "@haft/core/JsonGuard"
import * as JsonText from "@haft/core/JsonText"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { LoweredTool } from "./lowerTool.ts"
import { placeIn } from "./dialectPlaces.ts"
import { read } from "./readDialect.ts"
import { isJsonObject } from "./shape.ts"

/**
 * What is no JSON object within the limits goes on as it came, and is refused where all arguments are looked at. Text that
 * takes liberties goes on with the way to read it: how many it may take is known when the call is settled.
 */
export const readArguments = (tool: LoweredTool, input: unknown, htmlEntities: boolean): unknown => {
  const isEscaped = htmlEntities && typeof input === "string" && input.includes("&")
  if (isEscaped) return new ArgumentRepair.Foreign(input, { htmlEntities, ...formOf(tool) })
  if (tool.reading._tag === "Same") return input
  const guarded: Result.Result<Schema.Json, unknown> =
    typeof input === "string" ? JsonText.read(input) : JsonGuard.guard(input)
  const json = Result.getOrUndefined(guarded)
  if (json !== undefined && isJsonObject(json)) return read(tool.reading, json, tool.named)
  return typeof input === "string" ? new ArgumentRepair.Foreign(input, formOf(tool)) : input
}

/** The same, for a call that is about to be settled: what is wrong with them is told in terms of what the model sent. */
export const passArguments = (tool: LoweredTool, input: unknown, htmlEntities: boolean): unknown =>
  tool.reading._tag === "Same" && !htmlEntities
    ? input
    : new ArgumentRepair.Foreign(input, { htmlEntities, ...formOf(tool) })

const formOf = ({ named, reading }: LoweredTool): ArgumentRepair.Form =>
  reading._tag === "Same"
    ? {}
    : {
        read: (value) => read(reading, value, named),
        locate: (value, path) => placeIn(reading, value, path, named)
      }
