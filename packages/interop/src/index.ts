export * as EffectAiTool from "./EffectAiTool.ts"
export * as EffectAiToolkit from "./EffectAiToolkit.ts"
export * as StandardSchemaTool from "./StandardSchemaTool.ts"
