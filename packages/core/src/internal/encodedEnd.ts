/** The schema at the far end of a chain of transformations: what is sent. */
import type * as SchemaAST from "effect/SchemaAST"

export const encodedEnd = (ast: SchemaAST.AST): SchemaAST.AST => {
  const last = ast.encoding?.at(-1)
  return last === undefined ? ast : encodedEnd(last.to)
}
