/** Everything that is compared. */
import type { Entry } from "./subject.ts"

const haft = { imports: ["@haft/core", "@haft/registry"], packages: ["@haft/core", "@haft/registry", "effect"] }

export const entries: ReadonlyArray<Entry> = [
  {
    id: "effect-floor",
    title: "By hand on Effect",
    family: "floor",
    imports: ["effect/Effect", "effect/Schema"],
    packages: ["effect"],
    only: ["sequential", "allocations", "concurrent"],
    load: async () => (await import("./subjects/effectFloor.ts")).subject
  },
  {
    id: "zod-floor",
    title: "By hand with zod",
    family: "floor",
    imports: ["zod"],
    packages: ["zod"],
    only: ["sequential", "allocations", "concurrent"],
    load: async () => (await import("./subjects/zodFloor.ts")).subject
  },
  {
    id: "haft",
    title: "Haft",
    family: "haft",
    ...haft,
    load: async () => (await import("./subjects/haft.ts")).bare
  },
  {
    id: "haft-deadline",
    title: "Haft, with a deadline",
    family: "haft",
    ...haft,
    only: ["sequential", "allocations", "concurrent", "cancelling"],
    load: async () => (await import("./subjects/haft.ts")).withDeadline
  },
  {
    id: "haft-span",
    title: "Haft, with one span",
    family: "haft",
    ...haft,
    only: ["sequential", "allocations"],
    load: async () => (await import("./subjects/haft.ts")).withSpan
  },
  {
    id: "haft-sqlite",
    title: "Haft, durable on SQLite",
    family: "haft",
    durable: true,
    ...haft,
    only: ["sequential", "allocations", "concurrent", "largeOutput", "durable"],
    load: async () => (await import("./subjects/haft.ts")).onDisk
  },
  {
    id: "effect-ai",
    title: "effect/ai Toolkit",
    family: "alternative",
    imports: ["effect/ai/Tool", "effect/ai/Toolkit"],
    packages: ["effect"],
    load: async () => (await import("./subjects/effectToolkit.ts")).subject
  },
  {
    id: "ai-sdk",
    title: "Vercel AI SDK",
    family: "alternative",
    imports: ["ai", "zod"],
    packages: ["ai", "zod"],
    load: async () => (await import("./subjects/aiSdk.ts")).subject
  },
  {
    id: "mcp-1",
    title: "MCP SDK 1.x, in memory",
    family: "alternative",
    imports: [
      "@modelcontextprotocol/sdk/client/index.js",
      "@modelcontextprotocol/sdk/server/mcp.js",
      "@modelcontextprotocol/sdk/inMemory.js",
      "zod"
    ],
    packages: ["@modelcontextprotocol/sdk", "zod"],
    load: async () => (await import("./subjects/mcp1.ts")).subject
  },
  {
    id: "mcp-2",
    title: "MCP SDK 2.x, in memory",
    family: "alternative",
    imports: ["@modelcontextprotocol/client", "@modelcontextprotocol/server", "zod"],
    packages: ["@modelcontextprotocol/client", "@modelcontextprotocol/server", "zod"],
    load: async () => (await import("./subjects/mcp2.ts")).subject
  },
  {
    id: "openai-agents",
    title: "OpenAI Agents",
    family: "alternative",
    imports: ["@openai/agents", "zod"],
    packages: ["@openai/agents", "zod"],
    load: async () => (await import("./subjects/openaiAgents.ts")).subject
  },
  {
    id: "mastra",
    title: "Mastra",
    family: "alternative",
    imports: ["@mastra/core/tools", "@mastra/core/utils", "zod"],
    packages: ["@mastra/core", "zod"],
    load: async () => (await import("./subjects/mastra.ts")).subject
  },
  {
    id: "langchain",
    title: "LangChain",
    family: "alternative",
    imports: ["@langchain/core/tools", "zod"],
    packages: ["@langchain/core", "zod"],
    load: async () => (await import("./subjects/langChain.ts")).subject
  }
]
