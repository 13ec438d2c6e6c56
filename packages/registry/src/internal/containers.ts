/** What JSON nests: lists, and objects by their keys. */
import type * as Schema from "effect/Schema"

export type Container = Schema.JsonArray | Schema.JsonObject

export const isContainer = (value: Schema.Json): value is Container => typeof value === "object" && value !== null

export const isList = (container: Container): container is Schema.JsonArray => Array.isArray(container)
