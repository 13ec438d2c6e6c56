/** The rules of OpenAI, with and without strict mode. */
import type { Profile } from "./modelProfile.ts"
import { everything, source } from "./modelProfiles.ts"
import { ofNumbers } from "./schemaKeywords.ts"

const toolsOfOpenai = source("https://github.com/zed-industries/zed/issues/32946", "at most 128 tools: array too long")

const descriptionOfOpenai = source(
  "https://github.com/getsentry/sentry-mcp/issues/106",
  "a description has 1024 characters at most"
)

const rootOfOpenai = source(
  "https://github.com/langchain-ai/langchainjs/issues/9804",
  "type object and no oneOf, anyOf, allOf, enum or not at the top level"
)

const lookaroundOfOpenai = source("https://github.com/vercel/ai/pull/21037", "regex lookaround is not supported")

/** Understood with `strict` and without. */
const shared = [
  ..."$ref $defs type title description enum anyOf properties required additionalProperties".split(" "),
  ..."items minItems maxItems pattern format".split(" "),
  ...ofNumbers
]

const limitsOfOpenai = { tools: 128, name: 64, description: 1024 }

/** Function calling without `strict`. */
export const openai: Profile = {
  ...everything,
  provider: "openai",
  sources: [
    toolsOfOpenai,
    descriptionOfOpenai,
    rootOfOpenai,
    lookaroundOfOpenai,
    source("https://github.com/streamnative/streamnative-mcp-server/issues/26", "array schema missing items"),
    source("https://github.com/can1357/oh-my-pi/issues/920", "oneOf is not permitted, also without strict"),
    source("https://github.com/makenotion/notion-mcp-server/issues/102", "allOf is not permitted")
  ],
  rootAlternatives: false,
  keywords: [
    ...shared,
    ..."default examples const minProperties maxProperties uniqueItems minLength maxLength".split(" ")
  ],
  lookaround: false,
  tuples: "items",
  limits: limitsOfOpenai
}

/** Function calling with `strict: true`: the model cannot send anything that does not fit the schema. */
export const openaiStrict: Profile = {
  provider: "openai-strict",
  sources: [
    source(
      "https://github.com/ai-dynamo/dynamo/pull/15153",
      "quotes OpenAI's guide on supported schemas: types and keywords, all required, additionalProperties false"
    ),
    source(
      "https://effect.website/docs/v4/api/effect/unstable/ai/OpenAiStructuredOutput",
      "the module whose source lists the formats, and which keeps $defs"
    ),
    source("https://jsonschemaprofiles.unitvectorylabs.com/schemas/openai", "the guide as a table, with all limits"),
    source("https://github.com/openai/openai-agents-python/pull/1884", "oneOf is not supported, anyOf is"),
    toolsOfOpenai,
    descriptionOfOpenai,
    rootOfOpenai,
    lookaroundOfOpenai
  ],
  rootAlternatives: false,
  keywords: shared,
  formats: ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"],
  lookaround: false,
  optional: "null",
  nulls: "type",
  records: "entries",
  tuples: "object",
  anything: "text",
  enums: "any",
  references: true,
  emptyObjects: true,
  limits: {
    ...limitsOfOpenai,
    properties: 5_000,
    nesting: 10,
    enumMembers: 1_000,
    text: 120_000,
    longEnum: { above: 250, characters: 15_000 }
  }
}
