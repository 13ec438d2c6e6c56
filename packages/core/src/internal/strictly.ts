/** Parsing that refuses unknown keys, at no cost where there are none. */
import type * as SchemaAST from "effect/SchemaAST"
import { knownKeysOf } from "./knownKeys.ts"

/** Dropping unknown keys would also make the first alternative of a union take what was meant for another. */
export const strict = { onExcessProperty: "error" } as const

type Parse<R> = (value: unknown) => R

/** Parses without looking for unknown keys where there are none; `ast` is the side of the codec that is parsed. */
export const strictly = <R>(ast: SchemaAST.AST, make: (options?: SchemaAST.ParseOptions) => Parse<R>): Parse<R> => {
  const hasKnownKeys = knownKeysOf(ast)
  const parseStrictly = make(strict)
  if (hasKnownKeys === undefined) return parseStrictly
  const parse = make()
  return (value) => (hasKnownKeys(value) ? parse(value) : parseStrictly(value))
}
