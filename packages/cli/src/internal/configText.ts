/** Reads the text of a configuration, and says where in it each fault stands. */
import * as Jsonc from "jsonc-parser"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { UsageError } from "./faults.ts"
import * as Sentences from "./sentences.ts"

/** A text, its tree with positions, and what it means. */
export interface Parsed {
  readonly text: string
  readonly tree: Jsonc.Node | undefined
  readonly value: unknown
}

/** Far beyond what a person writes; a file of another kind is told apart before it is read into a tree. */
const maxBytes = 1_048_576

/** An empty file is an empty configuration. */
export const parseText = (path: string, text: string): Result.Result<Parsed, UsageError> => {
  if (Buffer.byteLength(text) > maxBytes) return Result.fail(new UsageError(Sentences.hugeConfig(path, maxBytes)))
  const errors: Array<Jsonc.ParseError> = []
  const tree = Jsonc.parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true })
  const [error] = errors
  if (error !== undefined) {
    const what = Jsonc.printParseErrorCode(error.error)
    return Result.fail(new UsageError(Sentences.malformedConfig(path, positionOf(text, error.offset), what)))
  }
  return Result.succeed({ text, tree, value: tree === undefined ? {} : Jsonc.getNodeValue(tree) })
}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** Every fault at once, each by its path and line. */
export const decodeConfig = <A>(
  schema: Schema.Codec<A, unknown>,
  path: string,
  parsed: Parsed
): Result.Result<A, UsageError> =>
  Result.mapError(
    Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })(parsed.value),
    ({ issue }) => {
      const faults = format(issue).issues.map(({ message, path: at = [] }) => {
        const keys = at.map((part) => (typeof part === "object" ? part.key : part)).map(asKey)
        return { at: Sentences.jsonPath(keys), line: lineOf(parsed, keys), message }
      })
      return new UsageError(Sentences.unfitConfig(path, faults))
    }
  )

const asKey = (key: PropertyKey): string | number => (typeof key === "number" ? key : String(key))

/** Of the value, or of the nearest one around it: what is missing stands nowhere. */
const lineOf = ({ text, tree }: Parsed, keys: ReadonlyArray<string | number>): number => {
  if (tree === undefined) return 1
  const node = Jsonc.findNodeAtLocation(tree, [...keys])
  if (node !== undefined) return positionOf(text, node.offset).line
  return keys.length === 0 ? 1 : lineOf({ text, tree, value: undefined }, keys.slice(0, -1))
}

/** Both from 1, as editors count. */
const positionOf = (text: string, offset: number): Sentences.Position => {
  const before = text.slice(0, offset)
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") }
}
