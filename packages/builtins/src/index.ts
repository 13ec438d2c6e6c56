export * as ReadOutput from "./ReadOutput.ts"
