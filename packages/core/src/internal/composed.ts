/**
 * The JSON Schema of structs and lists, put together from those of their parts. It is what is written of the whole at once,
 * to the letter, with less to do: a thousand tools are mostly made of the same few parts.
 */
import type * as JsonSchema from "effect/JsonSchema"
import * as SchemaAST from "effect/SchemaAST"
import { maxDepth } from "./jsonLimits.ts"
import { maxSchemaValues } from "./schemaSize.ts"

type Json = JsonSchema.JsonSchema
type AST = SchemaAST.AST

/** The JSON Schema of one field, frozen throughout. */
export interface Field {
  readonly schema: Json
  readonly isRequired: boolean
}

/** A field that is not put together itself, with the values that its schema has. */
export interface Part extends Field {
  readonly size: number
}

/** Gives nothing for a field that cannot stand alone: one that is refused, or refers to something. */
export type WritePart = (ast: AST) => Part | undefined

/**
 * Of a struct, frozen throughout. Nothing where it is none, or too large, or where a field of it cannot stand alone. Nor
 * where it is deeper than any arguments: no decoder can be built of what is deeper than the stack, and whoever writes the
 * whole has a sentence for that.
 */
export const composed = (ast: AST, writePart: WritePart): Json | undefined => {
  if (!isStruct(ast)) return undefined
  try {
    return new Composition(writePart).struct(ast, descriptionOf(ast.annotations))
  } catch {
    // A part of it is deeper than the stack.
    return undefined
  }
}

declare const Bare: unique symbol

/** Fields and nothing else. One without any admits more than objects, and the name of a field has to be a text. */
type Struct = SchemaAST.Objects & { readonly [Bare]: true }

const isStruct = (ast: AST): ast is Struct =>
  SchemaAST.isObjects(ast) &&
  isBare(ast) &&
  ast.indexSignatures.length === 0 &&
  ast.propertySignatures.length > 0 &&
  ast.propertySignatures.every(({ name }) => typeof name === "string" && name !== "__proto__")

/** Any number of elements of one kind, and nothing else. Keys belong to fields: what an element says of one is nothing. */
type List = SchemaAST.Arrays & { readonly [Bare]: true }

const isList = (ast: AST): ast is List =>
  SchemaAST.isArrays(ast) &&
  isBare(ast) &&
  ast.elements.length === 0 &&
  ast.rest.length === 1 &&
  ast.rest[0]?.context === undefined

/** Nothing is demanded beyond the type, and nothing said about it but what it is. */
const isBare = ({ annotations, checks, encoding }: AST): boolean =>
  checks === undefined && encoding === undefined && isOnlyDescribed(annotations)

/** An identifier says nothing: it is for definitions, and there are none. */
const isOnlyDescribed = (annotations: Annotations): boolean => {
  for (const key in annotations) {
    if (key === "description" ? typeof annotations[key] !== "string" : key !== "identifier") return false
  }
  return true
}

type Annotations = AST["annotations"]

const descriptionOf = (annotations: Annotations): string | undefined => {
  const description = annotations?.["description"]
  return typeof description === "string" ? description : undefined
}

/** One whole: its fields share the room that it has. */
class Composition {
  private left = maxSchemaValues
  private depth = 0
  private readonly writePart: WritePart

  constructor(writePart: WritePart) {
    this.writePart = writePart
  }

  struct({ propertySignatures }: Struct, description: string | undefined): Json | undefined {
    const properties: Record<string, Json> = {}
    const required: Array<string> = []
    for (const { name, type } of propertySignatures) {
      const field = this.field(type)
      if (field === undefined) return undefined
      properties[String(name)] = field.schema
      if (field.isRequired) required.push(String(name))
    }
    Object.freeze(properties)
    if (required.length === 0)
      return this.write({ type: "object", properties, additionalProperties: false }, 4, description)
    const schema = { type: "object", properties, required: Object.freeze(required), additionalProperties: false }
    return this.write(schema, 5 + required.length, description)
  }

  private field(ast: AST): Field | undefined {
    const onKey = ast.context?.annotations
    if (!isOnlyDescribed(onKey) || !isComposed(ast)) return this.part(this.writePart(ast))
    if (this.depth === maxDepth) return undefined
    this.depth++
    // What is said about a key is about the field, unless that says something itself.
    const schema = this.compose(ast, descriptionOf(ast.annotations) ?? descriptionOf(onKey))
    this.depth--
    return schema === undefined ? undefined : { schema, isRequired: ast.context?.isOptional !== true }
  }

  private compose(ast: Composed, description: string | undefined): Json | undefined {
    switch (ast._tag) {
      case "Objects":
        return this.struct(ast, description)
      case "Arrays":
        return this.list(ast, description)
      default:
        return this.write(scalars[ast._tag], 2, description)
    }
  }

  private list({ rest: [element] }: List, description: string | undefined): Json | undefined {
    const items = element === undefined ? undefined : this.field(element)?.schema
    if (items === undefined) return undefined
    const isAnything = Object.keys(items).length === 0
    return this.write(isAnything ? { type: "array" } : { type: "array", items }, 2, description)
  }

  private part(part: Part | undefined): Part | undefined {
    this.left -= part?.size ?? 0
    return this.left < 0 ? undefined : part
  }

  /** `size` counts what is not counted yet: a description is one value more. */
  private write(schema: Json, size: number, description: string | undefined): Json | undefined {
    this.left -= description === undefined ? size : size + 1
    if (this.left < 0) return undefined
    return Object.freeze(description === undefined ? schema : { ...schema, description })
  }
}

type Composed = Struct | List | SchemaAST.String | SchemaAST.Boolean

const isComposed = (ast: AST): ast is Composed =>
  isStruct(ast) || isList(ast) || ((SchemaAST.isString(ast) || SchemaAST.isBoolean(ast)) && isBare(ast))

const scalars: Record<"String" | "Boolean", Json> = {
  String: Object.freeze({ type: "string" }),
  Boolean: Object.freeze({ type: "boolean" })
}
