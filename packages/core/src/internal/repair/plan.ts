/** Everything that repair derives from one input schema, each part when it is first needed. */
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type * as Tool from "../../Tool.ts"
import { mayMultiply } from "../decodeCost.ts"
import { flattened, keysOf } from "../schemaPhrase.ts"
import { type HoldsBlank, holdsBlankOf } from "./blank.ts"
import { strictAst } from "./strictAst.ts"
import type { Level } from "./warning.ts"

/** Building a decoder costs a hundred times a decode, so that a tool has one shape for all its calls. */
export class Shape {
  /** From what is sent to the tool's input. */
  readonly codec: SchemaAST.AST
  private readonly known = new Map<boolean, SchemaAST.AST>()
  private blank: HoldsBlank | undefined
  private multiplying: boolean | undefined

  constructor(input: Tool.Codec) {
    this.codec = Schema.toCodecJson(input).ast
  }

  /** The schema of what is sent; where anything is repaired, one that refuses blank optional strings. */
  ast(level: Level): SchemaAST.AST {
    const dropsBlank = level !== "strict"
    const ast = this.known.get(dropsBlank) ?? strictAst(this.codec, dropsBlank)
    this.known.set(dropsBlank, ast)
    return ast
  }

  /** The declared arguments, in the order of the schema. */
  get fields(): ReadonlyArray<string> {
    return [...new Set(flattened(this.ast("strict")).filter(SchemaAST.isObjects).flatMap(keysOf))]
  }

  get holdsBlank(): HoldsBlank {
    return (this.blank ??= holdsBlankOf(this.ast("contract"), this.multiplies))
  }

  get multiplies(): boolean {
    return (this.multiplying ??= mayMultiply(this.codec))
  }
}

/** `Schema.Struct({})` takes anything but null. At the root its author means: no arguments. */
export const closed = (input: Tool.Codec): Tool.Codec => {
  const { ast } = input
  const isEmptyStruct =
    SchemaAST.isObjects(ast) && ast.propertySignatures.length + ast.indexSignatures.length === 0 && !ast.encoding
  return isEmptyStruct ? Schema.Record(Schema.String, Schema.Never) : input
}
