/** Why a file could not be found, read or changed. Each error has the path as the call gave it, and nothing of the host's. */
import * as Schema from "effect/Schema"

const path = Schema.String

/** The text can be no path at all. Nothing was looked up. */
export class InvalidPathError extends Schema.TaggedError<InvalidPathError>()("LocationFiles.InvalidPathError", {
  reason: Schema.Literals(["Empty", "Nul", "IllFormed", "TooLong", "ComponentTooLong", "TooManyComponents"])
}) {}

/** The path leads out of its root. The answer is the same whether something is there or not. */
export class OutsideError extends Schema.TaggedError<OutsideError>()("LocationFiles.OutsideError", {
  path,
  by: Schema.Literals(["Parent", "Link"])
}) {}

/** Symbolic links that lead to each other. */
export class LoopError extends Schema.TaggedError<LoopError>()("LocationFiles.LoopError", { path }) {}

/** The host keeps this place for itself. The answer is the same whether something is there or not. */
export class ProtectedError extends Schema.TaggedError<ProtectedError>()("LocationFiles.ProtectedError", { path }) {}

/** `nearest` are paths that exist and look like the one that does not. */
export class NotFoundError extends Schema.TaggedError<NotFoundError>()("LocationFiles.NotFoundError", {
  path,
  nearest: Schema.Array(Schema.String),
  /** Something has this name where it is listed, but its real name is not UTF-8 and cannot be written in a call. */
  isNameUnreadable: Schema.Boolean
}) {}

/** What a path can lead to. */
export const Kind = Schema.Literals([
  "File",
  "Directory",
  "Pipe",
  "Socket",
  "Device",
  "KernelFile",
  "HardLink",
  "Unknown"
])
export type Kind = typeof Kind.Type

/** Something is there, and it is not what the operation needs. */
export class WrongKindError extends Schema.TaggedError<WrongKindError>()("LocationFiles.WrongKindError", {
  path,
  expected: Schema.Literals(["File", "Directory", "FileOrDirectory", "Nothing"]),
  found: Kind
}) {}

/** The operating system does not allow it. */
export class AccessError extends Schema.TaggedError<AccessError>()("LocationFiles.AccessError", {
  path,
  reason: Schema.Literals(["NotAllowed", "ReadOnly"])
}) {}

/** What is there now is not what was there when the path was resolved. Nothing was changed. */
export class ChangedError extends Schema.TaggedError<ChangedError>()("LocationFiles.ChangedError", { path }) {}

/** More than is held in memory at once. */
export class TooLargeError extends Schema.TaggedError<TooLargeError>()("LocationFiles.TooLargeError", {
  path,
  bytes: Schema.Int,
  limit: Schema.Int
}) {}

/** The disk is full, too many files are open, the hardware failed: the system's own name for it is in `code`. */
export class SystemError extends Schema.TaggedError<SystemError>()("LocationFiles.SystemError", {
  path,
  code: Schema.String
}) {}

/** The change was made, or half of it, and then the system failed: it is not known what is on the disk. */
export class UncertainError extends Schema.TaggedError<UncertainError>()("LocationFiles.UncertainError", {
  path,
  code: Schema.String
}) {}

const errors = [
  InvalidPathError,
  OutsideError,
  LoopError,
  ProtectedError,
  NotFoundError,
  WrongKindError,
  AccessError,
  ChangedError,
  TooLargeError,
  SystemError,
  UncertainError
] as const

/** Any of them. */
export type FileError = InstanceType<(typeof errors)[number]>

/** Tells an error of this module from anything else that was thrown. */
export const isFileError = (cause: unknown): cause is FileError => errors.some((error) => cause instanceof error)

export const notFound = (path: string): NotFoundError =>
  new NotFoundError({ path, nearest: [], isNameUnreadable: false })
