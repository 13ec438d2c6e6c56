/** Node's errno exceptions as Effect's `PlatformError`. */
import * as PlatformError from "effect/PlatformError"
import * as Predicate from "effect/Predicate"

/** Codes that are not listed become `Unknown`; the original always stays in `cause`. */
const tags: ReadonlyMap<string, PlatformError.SystemErrorTag> = new Map([
  ["EACCES", "PermissionDenied"],
  ["EAGAIN", "WouldBlock"],
  ["EBADF", "BadResource"],
  ["EBUSY", "Busy"],
  ["EEXIST", "AlreadyExists"],
  ["EISDIR", "BadResource"],
  ["ELOOP", "BadResource"],
  ["EMFILE", "Busy"],
  ["ENFILE", "Busy"],
  ["ENOENT", "NotFound"],
  ["ENOTDIR", "BadResource"],
  ["ENOTEMPTY", "AlreadyExists"],
  ["EPERM", "PermissionDenied"],
  ["ERR_FS_CP_DIR_TO_NON_DIR", "BadResource"],
  ["ERR_FS_CP_EINVAL", "BadResource"],
  ["ERR_FS_CP_FIFO_PIPE", "BadResource"],
  ["ERR_FS_CP_NON_DIR_TO_DIR", "BadResource"],
  ["ERR_FS_CP_SOCKET", "BadResource"],
  ["ERR_FS_EISDIR", "BadResource"],
  ["ERR_FS_FILE_TOO_LARGE", "BadResource"],
  ["EPIPE", "BadResource"],
  ["ERR_STREAM_DESTROYED", "BadResource"],
  ["EROFS", "PermissionDenied"],
  ["ETIMEDOUT", "TimedOut"]
])

/** Node checks arguments before it asks the system. */
const argumentCodes: ReadonlySet<string> = new Set([
  "ERR_INVALID_ARG_TYPE",
  "ERR_INVALID_ARG_VALUE",
  "ERR_OUT_OF_RANGE"
])

/** Callers decide on `reason._tag`, never on text. */
export const fromErrno =
  (module: string, method: string, path?: string) =>
  (cause: unknown): PlatformError.PlatformError => {
    const code = field(cause, "code") ?? ""
    const description = field(cause, "message")
    if (argumentCodes.has(code)) return PlatformError.badArgument({ module, method, description, cause })
    return PlatformError.systemError({
      _tag: tags.get(code) ?? "Unknown",
      module,
      method,
      description,
      syscall: field(cause, "syscall"),
      pathOrDescriptor: path ?? field(cause, "path"),
      cause
    })
  }

const field = (cause: unknown, name: string): string | undefined =>
  Predicate.hasProperty(cause, name) && Predicate.isString(cause[name]) ? cause[name] : undefined
