/** The rules of Gemini. */
import type { Profile } from "./modelProfile.ts"
import { source } from "./modelProfiles.ts"

/** Function declarations with `parameters`, which are a part of OpenAPI 3.0 and work on every model and endpoint. */
export const gemini: Profile = {
  provider: "gemini",
  sources: [
    source(
      "https://docs.cloud.google.com/nodejs/docs/reference/generativelanguage/latest/generativelanguage/protos.google.ai.generativelanguage.v1beta.ischema",
      "the fields of a schema; any other fails the request; enum is a list of texts"
    ),
    source(
      "https://firebase.google.com/docs/reference/js/ai.schemashared",
      "format is date-time or enum, anything else fails"
    ),
    source(
      "https://firebase.google.com/docs/reference/js/vertexai.functiondeclarationstool",
      "64 declarations at most"
    ),
    source(
      "https://cloud.google.com/php/docs/reference/cloud-ai-platform/1.5.0/V1.FunctionDeclaration",
      "names begin with a letter or _; in those of functions come letters, digits, _, dots and dashes, in those of parameters no dots or dashes; 64 at most"
    ),
    source("https://github.com/weave-os/router/pull/65", "exclusive bounds and enums of numbers are refused"),
    source("https://github.com/agno-agi/agno/issues/2112", "properties should be non-empty for OBJECT type"),
    source("https://github.com/googleapis/python-genai/issues/2170", "a sum of maxItems above some 960 is refused")
  ],
  rootAlternatives: false,
  propertyNames: "[a-zA-Z_][a-zA-Z0-9_]{0,63}",
  keywords: [
    ..."type title description nullable enum anyOf properties required minProperties maxProperties".split(" "),
    ..."items minItems minLength maxLength pattern format minimum maximum".split(" ")
  ],
  formats: ["date-time"],
  lookaround: false,
  optional: "notRequired",
  nulls: "nullable",
  records: "entries",
  tuples: "object",
  anything: "text",
  enums: "text",
  references: false,
  emptyObjects: false,
  limits: { tools: 64, name: 64 }
}
