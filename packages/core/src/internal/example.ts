/** Arguments that a codec decodes, for a model to go by: what the author gave, or the simplest that there is. */
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaParser from "effect/SchemaParser"
import { bareFrom } from "./bare.ts"
import { encodedEnd } from "./encodedEnd.ts"
import { literalsOf } from "./schemaPhrase.ts"
import { strict } from "./strictly.ts"

/** As JSON. A longer one would hide what it is an example of. */
const maxLength = 400

/** Objects inside objects that are shown. */
const maxDepth = 4

/** Parts of a schema that are looked at. Each has a check that has to be compiled once. */
const maxParts = 64

/** With all that is required, and the optional `fields`. Nothing if none is found that is short and fits. */
export const exampleOf = (ast: SchemaAST.AST, fields: ReadonlySet<string>): string | undefined => {
  const text = Result.getOrUndefined(Result.try(() => JSON.stringify(search(ast, fields))))
  return text === undefined || text.length > maxLength ? undefined : text
}

/** May throw: a check of the author's that does is found where arguments are checked, and not here. */
const search = (ast: SchemaAST.AST, fields: ReadonlySet<string>): Json | undefined => {
  const example = new Search().find(ast, fields, 0)
  return example !== undefined && fits(ast, example) ? example : undefined
}

type Json = Schema.Json

const noFields: ReadonlySet<string> = new Set()

class Search {
  private left = maxParts

  find(ast: SchemaAST.AST, fields: ReadonlySet<string>, depth: number): Json | undefined {
    if (depth > maxDepth || this.left-- <= 0) return undefined
    const given = givenBy(ast).find((value) => fits(ast, value))
    return given ?? this.build(ast, fields, depth)
  }

  /** Follows the side that is sent; what is found there has to decode. */
  private build(ast: SchemaAST.AST, fields: ReadonlySet<string>, depth: number): Json | undefined {
    const sent = encodedEnd(ast)
    switch (sent._tag) {
      case "Suspend":
        return this.find(sent.thunk(), fields, depth + 1)
      case "Objects":
        return this.buildObject(sent, fields, depth)
      case "Arrays":
        return this.buildList(sent, depth)
      case "Union":
        return this.findFirst(sent.types, fields, depth)
      default:
        return scalars(sent).find((value) => fits(ast, value))
    }
  }

  private findFirst(
    members: ReadonlyArray<SchemaAST.AST>,
    fields: ReadonlySet<string>,
    depth: number
  ): Json | undefined {
    for (const member of members) {
      const found = this.find(member, fields, depth + 1)
      if (found !== undefined) return found
    }
    return undefined
  }

  private buildObject(ast: SchemaAST.Objects, fields: ReadonlySet<string>, depth: number): Json | undefined {
    const shown = ast.propertySignatures.filter(
      ({ name, type }) => !SchemaAST.isNever(type) && (!SchemaAST.isOptional(type) || fields.has(String(name)))
    )
    const entries = shown.map(({ name, type }) => [String(name), this.find(type, noFields, depth + 1)] as const)
    return entries.every(isFound) ? bareFrom(entries.filter(isFound)) : undefined
  }

  private buildList(ast: SchemaAST.Arrays, depth: number): Json | undefined {
    const types = [...ast.elements, ...ast.rest.slice(0, 1)]
    const items = types.map((type) => this.find(type, noFields, depth + 1)).filter((item) => item !== undefined)
    return [items, []].find((list) => fits(ast, list))
  }
}

type Entry = readonly [string, Json]

const isFound = (entry: readonly [string, Json | undefined]): entry is Entry => entry[1] !== undefined

/** Something for the most common checks; what fits none of these has no example unless its author gives one. */
const scalars = (ast: SchemaAST.AST): ReadonlyArray<Json> => {
  if (SchemaAST.isLiteral(ast) || SchemaAST.isEnum(ast))
    return literalsOf(ast).filter((literal) => typeof literal !== "bigint")
  if (SchemaAST.isString(ast))
    return ["text", "2026-01-31T12:00:00.000Z", "2026-01-31", "https://example.com", "1", "a"]
  if (SchemaAST.isNumber(ast)) return [1, 10, 0, ...boundsOf(ast), 100, 1000, -1]
  if (SchemaAST.isBoolean(ast)) return [true]
  return SchemaAST.isNull(ast) ? [null] : ["text"]
}

const boundsOf = (ast: SchemaAST.Number): ReadonlyArray<number> =>
  [...(ast.checks ?? [])]
    .flatMap((check) => Object.values<unknown>(Object(check.annotations?.representation?.payload)))
    .filter((bound) => typeof bound === "number")

/** Examples and the default that the author declared, as they would be sent. */
const givenBy = (ast: SchemaAST.AST): ReadonlyArray<Json> => {
  const annotations = SchemaAST.resolve(ast) ?? {}
  const examples: unknown = annotations["examples"]
  return [...(Array.isArray(examples) ? examples : []), annotations["default"]].filter(isJson)
}

const isJson = SchemaParser.is(Schema.Json)

const fits = (ast: SchemaAST.AST, value: Json): boolean => isValid(ast)(value)

type Check = (value: unknown) => boolean

const checks = new WeakMap<SchemaAST.AST, Check>()

const isValid = (ast: SchemaAST.AST): Check => {
  const check = checks.get(ast) ?? makeCheck(ast)
  checks.set(ast, check)
  return check
}

/** What has to wait for something has no example. */
const makeCheck = (ast: SchemaAST.AST): Check => {
  const decode = SchemaParser.decodeUnknownExit(Schema.make<Schema.Codec<unknown>>(ast), strict)
  return (value) => Exit.isSuccess(decode(value))
}
