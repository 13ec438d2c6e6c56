/** A tool in the dialect of a provider, and how arguments for it are written there. */
import { assert } from "@effect/vitest"
import type { Tool, ToolDefinition } from "@haft/core"
import * as Runtime from "@haft/core/runtime"
import { ModelCompatibility } from "@haft/registry"
import { type JsonSchema, Result } from "effect"
import { faultsFor, type Provider } from "./dialectLint.ts"
import { DialectWriter } from "./dialectWriter.ts"
import { copy } from "./echo.ts"

const { anthropic, gemini, mcp, openai, openaiCompatible, openaiStrict } = ModelCompatibility
const profiles = { anthropic, gemini, mcp, openai, openaiCompatible, openaiStrict }

export const providers: ReadonlyArray<Provider> = [
  "anthropic",
  "openai",
  "openaiStrict",
  "gemini",
  "mcp",
  "openaiCompatible"
]

export const definitionOf = (tool: Tool.Any): ToolDefinition.ToolDefinition =>
  Result.getOrThrow(Runtime.open("tool", tool)).definition

/** What the provider would refuse is found here. */
export const dialectOf = (tool: Tool.Any, provider: Provider) => {
  const { definitions, read } = Result.getOrThrow(ModelCompatibility.prepare([definitionOf(tool)], profiles[provider]))
  const [lowered] = definitions
  assert(lowered !== undefined)
  assert.deepStrictEqual(faultsFor(provider, lowered), [])
  const writer = new DialectWriter(standard(lowered.inputSchema))
  return { schema: lowered.inputSchema, writer, read: (input: unknown) => copy(read("tool", input)) }
}

export type Dialect = ReturnType<typeof dialectOf>

/** OpenAPI's `nullable` in the words of JSON Schema, which an independent validator knows. */
const standard = (schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema => {
  const { nullable, ...rest } = Object.fromEntries(Object.entries(schema).map(([key, one]) => [key, standardPart(one)]))
  return nullable === true ? { anyOf: [rest, { type: "null" }] } : rest
}

const standardPart = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  return Array.isArray(value) ? value.map(standardPart) : standard({ ...value })
}

/** How many ways to write one value are tried. Only alternatives multiply them. */
const maxCandidates = 2_000

/** A way to write `json` in the dialect that is valid there and comes back equal. */
export const spelling = ({ read, schema, writer }: Dialect, json: unknown): unknown => {
  let tried = 0
  for (const candidate of writer.write(json)) {
    if (isSame(read(candidate), json)) return candidate
    if (++tried > maxCandidates) break
  }
  assert.fail(`${tried} ways tried for ${JSON.stringify(json)} in ${JSON.stringify(schema)}`)
}

const isSame = (left: unknown, right: unknown): boolean => {
  try {
    assert.deepStrictEqual(left, right)
    return true
  } catch {
    return false
  }
}

/** JSON text has one zero. */
export const withoutSign = (json: unknown): unknown => {
  if (Object.is(json, -0)) return 0
  if (typeof json !== "object" || json === null) return json
  if (Array.isArray(json)) return json.map(withoutSign)
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, withoutSign(value)]))
}
