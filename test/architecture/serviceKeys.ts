/** The keys under which services are found: one for each module that has one, told by the module's place alone. */
import { type CallExpression, type Expression, Visitor } from "oxc-parser"
import { locate, type Source } from "./sources.ts"

const constructors = new Set(["effect/Context.Service", "effect/Context.Reference", "effect/LayerMap.Service"])

/** The keys in a module; `undefined` stands for one that is not written as a string. */
export const keysOf = (source: Source): ReadonlyArray<string | undefined> => {
  const found: Array<string | undefined> = []
  new Visitor({
    CallExpression: (call) => {
      if (call.arguments.length > 0 && constructors.has(constructorOf(source, call))) found.push(keyOf(call))
    }
  }).visit(source.program)
  return found
}

/** What is called first in `Context.Service<…>()("key")`, as `effect/Context.Service`. */
const constructorOf = (source: Source, { callee }: CallExpression): string => {
  if (callee.type === "CallExpression") return constructorOf(source, callee)
  if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return ""
  return `${specifierOf(source, callee.object)}.${callee.property.name}`
}

const specifierOf = (source: Source, namespace: Expression): string | undefined =>
  namespace.type === "Identifier"
    ? source.imports.find((one) => one.namespace === namespace.name)?.specifier
    : undefined

const keyOf = ({ arguments: [key] }: CallExpression): string | undefined =>
  key?.type === "Literal" && typeof key.value === "string" ? key.value : undefined

export const wrongKeys = (source: Source): ReadonlyArray<string> => {
  const expected = `@haft/${source.package}/${source.path.replace(/\.ts$/, "")}`
  return keysOf(source)
    .filter((key) => key !== expected)
    .map((key) => `${locate(source)} has the key ${key ?? "of an expression"}, not ${expected}`)
}

/** Two services under one key are one service. */
export const sharedKeys = (sources: ReadonlyArray<Source>): ReadonlyArray<string> => {
  const keys = sources.flatMap(keysOf).filter((key) => key !== undefined)
  return keys.filter((key, index) => keys.indexOf(key) !== index)
}
