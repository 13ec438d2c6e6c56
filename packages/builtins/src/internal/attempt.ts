/** Runs steps of the file system in Effect. What is no error of the system is a bug, and stays one. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Errors from "./fileErrors.ts"

/** A step that takes microseconds. */
export const attempt = <A>(path: string, step: () => A): Effect.Effect<A, Errors.FileError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(step())
    } catch (cause) {
      return failure(path, cause)
    }
  })

/** A step on Node's threads. It runs to its end, so that nothing changes after an interruption. */
export const attemptPromise = <A>(path: string, step: () => Promise<A>): Effect.Effect<A, Errors.FileError> =>
  Effect.uninterruptible(
    Effect.callback<A, Errors.FileError>((resume) => {
      step().then(
        (value) => resume(Effect.succeed(value)),
        (cause: unknown) => resume(failure(path, cause))
      )
    })
  )

const failure = (path: string, cause: unknown): Effect.Effect<never, Errors.FileError> => {
  if (Errors.isFileError(cause)) return Effect.fail(cause)
  const code = codeOf(cause)
  return code === undefined ? Effect.die(cause) : Effect.fail(classify(path, code))
}

/** The system's name of an error, such as `ENOENT`. */
export const codeOf = (cause: unknown): string | undefined =>
  Predicate.hasProperty(cause, "syscall") && Predicate.hasProperty(cause, "code") && typeof cause.code === "string"
    ? cause.code
    : undefined

const classify = (path: string, code: string): Errors.FileError => {
  switch (code) {
    case "ENOENT":
      return Errors.notFound(path)
    case "ENOTDIR":
      return new Errors.WrongKindError({ path, expected: "Directory", found: "File" })
    case "EACCES":
    case "EPERM":
      return new Errors.AccessError({ path, reason: "NotAllowed" })
    case "EROFS":
      return new Errors.AccessError({ path, reason: "ReadOnly" })
    case "ESTALE":
      return new Errors.ChangedError({ path })
    case "ELOOP":
      return new Errors.LoopError({ path })
    default:
      return new Errors.SystemError({ path, code })
  }
}
