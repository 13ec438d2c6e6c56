/**
 * Puts an author's descriptions where a model looks for them. Those of a transformed schema, such as a date, do not
 * reach its JSON Schema by themselves, and those of a key end up in an `allOf` that some providers do not read.
 */
import * as Arr from "effect/Array"
import type * as JsonSchema from "effect/JsonSchema"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaRepresentation from "effect/SchemaRepresentation"
import * as Struct from "effect/Struct"
import { encodedEnd } from "./encodedEnd.ts"

type Representation = SchemaRepresentation.Representation
type Annotations = Schema.Annotations.Annotations
type Visit = (part: Representation, ast: SchemaAST.AST) => Representation

/** Says about unknown keys what the decoder does, and refers only where a schema is recursive. */
export const describedDocument = (ast: SchemaAST.AST): JsonSchema.Document<"draft-2020-12"> => {
  const document = SchemaRepresentation.toRepresentation(ast, { referencePolicy: () => undefined })
  return SchemaRepresentation.toJsonSchemaDocument(describeParts(document, ast), { onExcessProperty: "error" })
}

/** `document` represents the encoded side of `ast`. Changes nothing about which values it admits. */
const describeParts = (document: SchemaRepresentation.Document, ast: SchemaAST.AST): SchemaRepresentation.Document => {
  const references = new Map(Object.entries(document.references))
  const met = new Set<string>()
  const define = (name: string, end: SchemaAST.AST): void => {
    const definition = references.get(name)
    if (met.has(name) || definition === undefined) return
    met.add(name)
    references.set(name, visitEnd(definition, end))
  }
  const visitEnd: Visit = (part, end) => {
    if (part._tag !== "Reference") return liftFromChecks(visitParts(part, end, visit))
    define(part.$ref, end)
    return part
  }
  const visit: Visit = (part, whole) => {
    const end = encodedEnd(whole)
    return annotate(visitEnd(part, end), whole === end ? {} : descriptionOf(whole))
  }
  return { representation: visit(document.representation, ast), references: Object.fromEntries(references) }
}

interface Annotated {
  readonly annotations?: Annotations | undefined
  readonly checks?: ReadonlyArray<{ readonly annotations?: Annotations | undefined }> | undefined
}

/** What was said before a check was added still holds after it. */
const descriptionOf = (described: Annotated): Annotations => {
  const said = [described, ...(described.checks ?? [])].map(({ annotations }) => annotations?.["description"])
  const description = said.findLast(Predicate.isString)
  return description === undefined ? {} : { description }
}

/** What was said already stays. A reference has no annotations of its own; what wraps it has. */
const annotate = (part: Representation, more: Annotations): Representation => {
  if (Object.keys(more).length === 0) return part
  if (part._tag === "Reference") return { _tag: "Suspend", checks: [], thunk: part, annotations: more }
  return { ...part, annotations: { ...more, ...part.annotations } }
}

/** What is said after a check is kept with the check, and lost if JSON Schema cannot express that. */
const liftFromChecks = (part: Exclude<Representation, SchemaRepresentation.Reference>): Representation => {
  if (part._tag === "Suspend" || part.annotations?.["description"] !== undefined) return part
  const checks = part.checks.map((check) => ({
    ...check,
    annotations: Struct.omit(check.annotations ?? {}, ["description"])
  }))
  return annotate({ ...part, checks }, descriptionOf(part))
}

const visitParts = (
  part: Exclude<Representation, SchemaRepresentation.Reference>,
  ast: SchemaAST.AST,
  visit: Visit
): Exclude<Representation, SchemaRepresentation.Reference> => {
  if (part._tag === "Suspend" && SchemaAST.isSuspend(ast)) return { ...part, thunk: visit(part.thunk, ast.thunk()) }
  if (part._tag === "Union" && SchemaAST.isUnion(ast))
    return { ...part, types: Arr.zipWith(part.types, ast.types, visit) }
  if (part._tag === "Arrays" && SchemaAST.isArrays(ast)) {
    const elements = Arr.zipWith(part.elements, ast.elements, (one, type) => liftFromKey(one, visit(one.type, type)))
    return { ...part, elements, rest: Arr.zipWith(part.rest, ast.rest, visit) }
  }
  if (part._tag === "Objects" && SchemaAST.isObjects(ast)) {
    const propertySignatures = Arr.zipWith(part.propertySignatures, ast.propertySignatures, (one, { type }) =>
      liftFromKey(one, visit(one.type, type))
    )
    const indexSignatures = Arr.zipWith(part.indexSignatures, ast.indexSignatures, (one, { type }) => ({
      ...one,
      type: visit(one.type, type)
    }))
    return { ...part, propertySignatures, indexSignatures }
  }
  return part
}

/** Keywords that say something and demand nothing. */
const sayings = ["title", "description", "default", "examples"] as const

const liftFromKey = <Member extends SchemaRepresentation.Element>(member: Member, type: Representation): Member => {
  const annotations = member.annotations ?? {}
  const said = Struct.pick(
    annotations,
    sayings.filter((key) => annotations[key] !== undefined)
  )
  return { ...member, type: annotate(type, said), annotations: Struct.omit(annotations, sayings) }
}
