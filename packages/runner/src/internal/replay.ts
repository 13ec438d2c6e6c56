/** What every provider wants of a call that a model made before. */
import * as JsonText from "@haft/core/JsonText"
import * as ToolName from "@haft/core/ToolName"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

/** Providers refuse arguments that are no object. The model still sees what it wrote. */
export const argumentsOf = (input: string): Schema.JsonObject => {
  const read = JsonText.read(input)
  return Result.isSuccess(read) && isObject(read.success) ? read.success : { unreadable_arguments: input }
}

const isObject = (json: Schema.Json): json is Schema.JsonObject =>
  typeof json === "object" && json !== null && !Array.isArray(json)

/** A model may make up any name, and providers refuse most. */
export const nameOf = (name: string): string => {
  if (ToolName.isToolName(name)) return name
  const cleaned = name.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, ToolName.maxLength)
  return ToolName.isToolName(cleaned) ? cleaned : `tool_${cleaned}`.slice(0, ToolName.maxLength)
}

/** Neighbours that are alike become one. */
export const merged = <A>(items: ReadonlyArray<A>, merge: (left: A, right: A) => A | undefined): ReadonlyArray<A> => {
  const all: Array<A> = []
  for (const item of items) {
    const last = all.at(-1)
    const both = last === undefined ? undefined : merge(last, item)
    if (both === undefined) all.push(item)
    else all[all.length - 1] = both
  }
  return all
}
