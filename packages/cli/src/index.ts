export * as Config from "./Config.ts"
export * as Haft from "./Haft.ts"
export * as Host from "./Host.ts"
export * as Project from "./Project.ts"
