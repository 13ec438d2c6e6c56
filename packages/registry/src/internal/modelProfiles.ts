/** Rules of providers that take JSON Schema as it is, but for a few things, as they were on the day that `read` names. */
import type { Profile, Source } from "./modelProfile.ts"

const read = "2026-11-16"

export const source = (url: string, says: string): Source => ({ url, read, says })

const keysOfClaude = source(
  "https://github.com/anthropics/claude-code/issues/79418",
  "property keys match ^[a-zA-Z0-9_.-]{1,64}$, or the whole request is refused"
)

const rootOfClaude = source(
  "https://github.com/anthropics/claude-code/issues/27337",
  "input_schema does not support oneOf, allOf or anyOf at the top level"
)

/** JSON Schema as it stands. */
export const everything = {
  keywords: "all",
  formats: "all",
  lookaround: true,
  optional: "notRequired",
  nulls: "type",
  records: "object",
  tuples: "prefixItems",
  anything: "schema",
  enums: "any",
  references: true,
  emptyObjects: true
} as const satisfies Partial<Profile>

/** Servers that speak OpenAI's protocol and take any schema: vLLM, llama.cpp, Ollama and the like. */
export const openaiCompatible: Profile = {
  ...everything,
  provider: "openai-compatible",
  sources: [
    source(
      "https://docs.vllm.ai/en/latest/features/tool_calling/",
      "parameters are a JSON Schema with an object at the root"
    )
  ],
  rootAlternatives: true,
  limits: {}
}

/** The Messages API, without strict tool use. */
export const anthropic: Profile = {
  ...everything,
  provider: "anthropic",
  sources: [
    source(
      "https://platform.claude.com/docs/en/agents-and-tools/tool-use/strict-tool-use",
      "input_schema is JSON Schema"
    ),
    source("https://github.com/github/copilot-cli/issues/1879", "names match ^[a-zA-Z0-9_-]{1,128}$"),
    rootOfClaude,
    keysOfClaude
  ],
  rootAlternatives: false,
  propertyNames: "[a-zA-Z0-9_.-]{1,64}",
  limits: { name: 128 }
}

/** The protocol takes any schema. Its clients pass it on, so it has to suit the strictest of the large ones. */
export const mcp: Profile = {
  ...everything,
  provider: "mcp",
  sources: [
    source(
      "https://pub.dev/documentation/brain_kernel/0.3.0/mcp_host/Tool/inputSchema.html",
      "an object at the root, and beside it any keyword of JSON Schema 2020-12"
    ),
    source(
      "https://modelcontextprotocol.io/community/seps/986-specify-format-for-tool-names",
      "names have 64 characters at most"
    ),
    source(
      "https://github.com/MoonshotAI/kimi-code/issues/2328",
      "clients pass a union at the root on, and every request fails"
    ),
    keysOfClaude
  ],
  rootAlternatives: false,
  propertyNames: "[a-zA-Z0-9_.-]{1,64}",
  limits: { name: 64 }
}
