/** The log of a background job: a file without a name, its beginning and its end within a limit. */
import type * as Session from "@haft/core/Session"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import type { FileHandle } from "node:fs/promises"
import * as Os from "node:os"
import type * as LocationFiles from "../LocationFiles.ts"
import type * as LocationJobs from "../LocationJobs.ts"
import { attemptPromise } from "./attempt.ts"
import type { FileError } from "./fileErrors.ts"
import type { OpenFile } from "./fileReads.ts"
import { nameless } from "./pins.ts"
import { gap } from "./shellSentences.ts"
import { Window } from "./shellWindow.ts"
import { strayStart } from "./utf8.ts"

export interface JobLog {
  /** The name under which a call may read it. */
  readonly name: string
  readonly append: (bytes: Uint8Array) => Effect.Effect<void>
  /** As it is now. */
  readonly open: Effect.Effect<OpenFile>
  /** The last lines. */
  readonly tail: (lines: number) => Effect.Effect<string>
}

/** The end of a log that is looked at for its last lines. */
const tailBytes = 64 * 1024

/** Gone with the Scope. */
export const makeLog = Effect.fnUntraced(function* (name: string, limit: number) {
  const handle = yield* Effect.acquireRelease(
    attemptPromise(name, () => nameless(Os.tmpdir())),
    (handle) => Effect.promise(() => handle.close())
  )
  const window = new Window(limit)
  const writing = yield* Semaphore.make(1)
  let isBroken = false
  const append = (bytes: Uint8Array) =>
    Effect.suspend(() => (isBroken ? Effect.void : write(name, handle, window, bytes))).pipe(
      // A full disk ends the log and not the job.
      Effect.catch(() => Effect.sync(() => void (isBroken = true))),
      writing.withPermits(1)
    )
  const open = Effect.sync(() => opened(name, handle, window))
  return {
    name,
    append,
    open,
    tail: (lines) => Effect.flatMap(open, (file) => lastLines(file, lines))
  } satisfies JobLog
})

const write = (name: string, handle: FileHandle, window: Window, bytes: Uint8Array) =>
  Effect.forEach(
    window.place(bytes.length),
    ({ at, from, to }) => attemptPromise(name, () => handle.write(bytes, from, to - from, at)),
    { discard: true }
  )

/** The beginning, how much is lost, and the end. */
const opened = (name: string, handle: FileHandle, window: Window): OpenFile => {
  const { headBytes, kept, lost } = window
  const head = lost === 0 ? kept : headBytes
  const marker = lost === 0 ? Buffer.alloc(0) : Buffer.from(gap(lost))
  const end = head + marker.length
  return {
    _tag: "File",
    size: kept + marker.length,
    read: Effect.fnUntraced(function* (position, length) {
      const stop = position + length
      const parts = [
        yield* readKept(name, handle, window, position, Math.min(stop, head) - position),
        marker.subarray(Math.max(0, position - head), Math.max(0, stop - head)),
        yield* readKept(name, handle, window, head + Math.max(0, position - end), stop - Math.max(end, position))
      ]
      return Buffer.concat(parts)
    })
  }
}

const readKept = Effect.fnUntraced(function* (
  name: string,
  handle: FileHandle,
  window: Window,
  position: number,
  length: number
): Effect.fn.Return<Buffer, FileError> {
  const parts: Array<Buffer> = []
  for (const piece of window.pieces(position, Math.max(0, length))) {
    const buffer = Buffer.alloc(piece.length)
    const { bytesRead } = yield* attemptPromise(name, () => handle.read(buffer, 0, piece.length, piece.at))
    parts.push(buffer.subarray(0, bytesRead))
  }
  return Buffer.concat(parts)
})

const lastLines = Effect.fnUntraced(function* (file: OpenFile, lines: number) {
  const from = Math.max(0, file.size - tailBytes)
  // The file is open and has no name, so nobody can take it away.
  const bytes = yield* Effect.orDie(file.read(from, tailBytes))
  const text = Buffer.from(from === 0 ? bytes : bytes.subarray(strayStart(bytes))).toString("utf8")
  const all = text.split("\n")
  const isEnded = all.at(-1) === ""
  return all.slice(-lines - (isEnded ? 1 : 0)).join("\n")
})

/** The log of a job of this session that has the name, where there are jobs. */
export const openLog = (
  jobs: Option.Option<LocationJobs.Interface>,
  owner: Session.ID,
  name: string
): Effect.Effect<Option.Option<OpenFile>> =>
  Option.match(jobs, { onNone: () => Effect.succeedNone, onSome: ({ log }) => log(owner, name) })

/** What `read` takes a log for. */
export const targetOf = (name: string): LocationFiles.Target => ({
  _tag: "Target",
  path: name,
  resource: name,
  identity: name,
  external: undefined,
  names: name.split("/")
})
