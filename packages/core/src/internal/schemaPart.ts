/** The JSON Schemas of fields, each written once for all tools that have it. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type { Part, WritePart } from "./composed.ts"
import { deepFreeze } from "./deepFreeze.ts"
import { documentOf } from "./schemaDocument.ts"
import { expandedSize } from "./schemaSize.ts"
import { isSchema } from "./subschemas.ts"

type AST = SchemaAST.AST
type Written = Pick<Part, "schema" | "size">

export const partOf: WritePart = (ast) => {
  const same = sameAs(ast)
  const written = same === undefined ? undefined : known[same.tag].get(same.checks)
  if (written !== undefined) return { ...written, isRequired: ast.context?.isOptional !== true }
  const part = write(ast)
  if (same !== undefined && part !== undefined) known[same.tag].set(same.checks, part)
  return part
}

/** By their checks, which `Schema.Int` has in common with all that are made from it, whether they may be left out or not. */
const known = { String: new WeakMap<object, Written>(), Number: new WeakMap<object, Written>() }

/** Those that nearly every tool has need not be written even once, which takes long for the first. */
const keep = ({ ast: { checks } }: Schema.Codec<number>, schema: Written["schema"]): void => {
  if (checks !== undefined)
    known.Number.set(checks, { schema: Object.freeze(schema), size: Object.keys(schema).length + 1 })
}
keep(Schema.Int, { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })
keep(Schema.Finite, { type: "number" })

/** Texts and numbers of which nothing more is said than their checks say. */
const sameAs = (ast: AST): { readonly tag: keyof typeof known; readonly checks: object } | undefined => {
  const { annotations, checks, context, encoding } = ast
  if (!SchemaAST.isString(ast) && !SchemaAST.isNumber(ast)) return undefined
  if (checks === undefined || (annotations ?? encoding ?? context?.annotations) !== undefined) return undefined
  return { tag: ast._tag, checks }
}

const name = "field"

/** As the only field of an object, so that what is said about its key counts. */
const write = (ast: AST): Part | undefined => {
  const only = new SchemaAST.Objects([new SchemaAST.PropertySignature(name, ast)], [])
  const document = Result.getOrUndefined(documentOf(Schema.make<Schema.Codec<unknown>>(only)))
  if (document === undefined || Object.keys(document.definitions).length > 0) return undefined
  const { properties, required } = document.schema
  const schema = isSchema(properties) ? properties[name] : undefined
  if (!isSchema(schema)) return undefined
  return { schema: deepFreeze(schema), size: expandedSize({ ...document, schema }), isRequired: required !== undefined }
}
