/** Holds documents against the shape of an envelope and writes the errors, the same way for every contract. */
import type { Violation } from "@haft/core/InvalidInput"
import * as JsonDecoder from "@haft/core/JsonDecoder"
import type * as Tool from "@haft/core/Tool"
import * as Result from "effect/Result"
import type { Contract } from "../Contract.ts"
import { type DecodeError, InvalidEnvelope, Unencodable, UnsupportedVersion } from "../EnvelopeError.ts"
import * as Sentences from "./sentences.ts"

/** Of a version that a stranger wrote: enough to recognise it. */
const maxVersionLength = 64

/** What a document is taken for. */
export interface Kind {
  readonly contract: Contract
  readonly envelope: string
}

const nameOf = ({ contract, envelope }: Kind): string => `${contract} ${envelope}`

/** Gives the envelope, or everything that is wrong with the document. */
type Check<Envelope> = (document: unknown) => Result.Result<Envelope, InvalidEnvelope>

export const checker = <S extends Tool.Codec>(kind: Kind, schema: S): Check<S["Type"]> => {
  const decode = JsonDecoder.make(schema)
  return (document) =>
    Result.mapError(decode(document), ({ violations, violationsOmitted }) =>
      invalid(kind, violations, violationsOmitted)
    )
}

export const invalid = (kind: Kind, violations: ReadonlyArray<Violation>, violationsOmitted = 0): InvalidEnvelope =>
  new InvalidEnvelope({
    ...kind,
    message: Sentences.invalidEnvelope(nameOf(kind), violations, violationsOmitted),
    violations,
    violationsOmitted
  })

/** Which versions of an envelope are ours. */
export interface Version {
  readonly field: string
  readonly expected: string
  readonly admits: (version: string) => boolean
}

/** Looks at nothing but the version, and only at one that is text: anything else is for the check of the shape. */
const checkVersion = (
  kind: Kind,
  { admits, expected, field }: Version,
  document: unknown
): Result.Result<void, UnsupportedVersion> => {
  const version = readText(document, field)
  if (version === undefined || admits(version)) return Result.void
  const received = version.slice(0, maxVersionLength).toWellFormed()
  const message = Sentences.unsupportedVersion(field, expected, JSON.stringify(received))
  return Result.fail(new UnsupportedVersion({ ...kind, message, field, expected, received }))
}

/** Checks the version first and then the shape. */
export const versioned =
  <Envelope>(kind: Kind, version: Version, check: Check<Envelope>) =>
  (document: unknown): Result.Result<Envelope, DecodeError> =>
    Result.flatMap(checkVersion(kind, version, document), () => check(document))

/** Ids are echoed to whoever sent something that could not be read; what is longer is none. */
const maxEchoLength = 256

/** The text at a path of something that may be no object, may throw when it is read, and may be of any size. */
export const readText = (document: unknown, ...path: ReadonlyArray<string>): string | undefined => {
  try {
    const value = path.reduce<unknown>(
      (at, key) => (typeof at === "object" && at !== null && Object.hasOwn(at, key) ? Reflect.get(at, key) : undefined),
      document
    )
    return typeof value === "string" ? value : undefined
  } catch {
    return undefined
  }
}

/** The id at a path, for an answer to an envelope that could not be read. */
export const readID = (document: unknown, ...path: ReadonlyArray<string>): string | undefined => {
  const text = readText(document, ...path)?.trim()
  return text === undefined || text === "" || text.length > maxEchoLength ? undefined : text
}

export const unencodable = (kind: Kind, path: string, expected: string): Unencodable =>
  new Unencodable({ ...kind, message: Sentences.unencodable(nameOf(kind), path, expected), path, expected })
