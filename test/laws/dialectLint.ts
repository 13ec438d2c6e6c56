/**
 * The rules of each provider once more, written from what the providers say and without the profiles, so that a mistake
 * in one of the two shows. Gives what a provider would refuse.
 */
import type { ToolDefinition } from "@haft/core"
import type { JsonSchema } from "effect"

type Json = JsonSchema.JsonSchema
type Rule = (schema: Json, place: string) => ReadonlyArray<string>

export type Provider = "anthropic" | "openai" | "openaiStrict" | "gemini" | "mcp" | "openaiCompatible"

export const faultsFor = (provider: Provider, { description, inputSchema, name }: ToolDefinition.ToolDefinition) => [
  ...(/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/.test(name) ? [] : ["name"]),
  ...(provider.startsWith("openai") && provider !== "openaiCompatible" && description.length > 1024
    ? ["description"]
    : []),
  ...(inputSchema["type"] === "object" ? [] : ["the root is no object"]),
  ...(provider === "openaiCompatible" ? [] : combinations.filter((keyword) => keyword in inputSchema)),
  ...parts(inputSchema).flatMap(([place, schema]) => rules[provider].flatMap((rule) => rule(schema, place)))
]

const combinations = ["anyOf", "oneOf", "allOf", "enum", "not", "const"]

const fault =
  (says: string, isFault: (schema: Json) => boolean): Rule =>
  (schema, place) =>
    isFault(schema) ? [`${place}: ${says}`] : []

const propertiesOf = ({ properties }: Json): Json => (isObject(properties) ? properties : {})

const hasKeys = (pattern: RegExp): Rule =>
  fault(`keys match ${pattern}`, (schema) => Object.keys(propertiesOf(schema)).some((key) => !pattern.test(key)))

const hasOnly = (keywords: string): Rule =>
  fault("unknown keyword", (schema) => Object.keys(schema).some((key) => !keywords.split(" ").includes(key)))

const hasNone = (keywords: string): Rule =>
  fault(`none of ${keywords}`, (schema) => keywords.split(" ").some((key) => key in schema))

const listsHaveItems = fault("array without items", ({ items, type }) => type === "array" && !isObject(items))
const hasType = fault("no type", (schema) => !("type" in schema || "anyOf" in schema || "$ref" in schema))
const noLookaround = fault("lookaround", ({ pattern }) => /\(\?<?[=!]/.test(String(pattern)))
const referencesAlone = fault("words beside $ref", (schema) => "$ref" in schema && Object.keys(schema).length > 1)

const isClosed = fault(
  "not closed",
  ({ additionalProperties, type }) => type === "object" && additionalProperties !== false
)

const allRequired = fault("not required", (schema) => {
  const required = Array.isArray(schema["required"]) ? schema["required"] : []
  return Object.keys(propertiesOf(schema)).some((key) => !required.includes(key))
})

const isFilled = fault(
  "empty object",
  (schema) => schema["type"] === "object" && Object.keys(propertiesOf(schema)).length === 0
)

const enumsAreText = fault("enum that is no text", (schema) => {
  const members: unknown = schema["enum"]
  return (
    Array.isArray(members) &&
    (schema["type"] !== "string" || members.some((one) => typeof one !== "string" || one === ""))
  )
})

const oneType = fault("several types", ({ type }) => Array.isArray(type))

const formatsIn = (formats: string): Rule =>
  fault("unknown format", ({ format }) => format !== undefined && !formats.split(" ").includes(String(format)))

const claudeKeys = hasKeys(/^[a-zA-Z0-9_.-]{1,64}$/)

const rules: Readonly<Record<Provider, ReadonlyArray<Rule>>> = {
  openaiCompatible: [],
  anthropic: [claudeKeys],
  mcp: [claudeKeys],
  openai: [listsHaveItems, noLookaround, hasNone("oneOf allOf not if prefixItems patternProperties")],
  openaiStrict: [
    listsHaveItems,
    noLookaround,
    hasType,
    referencesAlone,
    isClosed,
    allRequired,
    formatsIn("date-time time date duration email hostname ipv4 ipv6 uuid"),
    hasOnly(
      "$defs $ref type title description enum anyOf properties required additionalProperties items minItems maxItems pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf"
    )
  ],
  gemini: [
    listsHaveItems,
    hasType,
    isFilled,
    enumsAreText,
    oneType,
    hasKeys(/^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/),
    formatsIn("date-time"),
    hasOnly(
      "type title description nullable enum anyOf properties required items minItems minProperties maxProperties minLength maxLength pattern format minimum maximum"
    )
  ]
}

type Part = readonly [place: string, schema: Json]

/** The schema and all that are inside it. */
const parts = (schema: Json, place = "#"): ReadonlyArray<Part> => [
  [place, schema],
  ...["properties", "patternProperties", "$defs"].flatMap((keyword) => {
    const named = schema[keyword]
    return isObject(named)
      ? Object.entries(named).flatMap(([key, one]) => partsOf(one, `${place}/${keyword}/${key}`))
      : []
  }),
  ...["items", "prefixItems", "anyOf", "oneOf", "allOf", "additionalProperties"].flatMap((keyword) =>
    [schema[keyword]].flat().flatMap((one) => partsOf(one, `${place}/${keyword}`))
  )
]

const partsOf = (value: unknown, place: string): ReadonlyArray<Part> => (isObject(value) ? parts(value, place) : [])

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)
