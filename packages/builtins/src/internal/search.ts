/** The two searches: each runs the engine on what a target leads to, and keeps what holds of its findings. */
import * as Progress from "@haft/core/Progress"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as PlatformError from "effect/PlatformError"
import type * as ChildProcess from "effect/process/ChildProcess"
import * as Stream from "effect/Stream"
import type * as LocationFiles from "../LocationFiles.ts"
import type { OpenDirectory, OpenFile } from "./fileReads.ts"
import * as Engine from "./searchEngine.ts"
import { NotDirectoryError } from "./searchErrors.ts"
import { type Finds, FoundLines, FoundPaths } from "./searchFinds.ts"
import { anything, type Asked, judge } from "./searchJudgement.ts"
import { placeOf, provenLines } from "./searchProof.ts"
import { type Event, type Line, RecordReader } from "./searchRecords.ts"
import { run, type Spawner } from "./searchRun.ts"

/** What every search needs. */
export interface Search {
  readonly files: LocationFiles.Interface
  readonly spawner: Spawner
  readonly programs: Engine.Programs
  readonly isolation: Engine.Isolation
  readonly timeLimit: Duration.Input
}

/** Which files to find. */
export interface GlobQuery extends Engine.Scope {
  readonly limit: number
}

/** Which lines to find. */
export interface GrepQuery extends Engine.Scope, Omit<Engine.Pattern, "maxCount"> {
  readonly limit: number
}

type Take = (bytes: Uint8Array) => Effect.Effect<boolean>

export const searchFiles = Effect.fnUntraced(function* (
  search: Search,
  target: LocationFiles.Target,
  query: GlobQuery
) {
  const opened = yield* search.files.open(target)
  if (opened._tag === "File") return yield* new NotDirectoryError({ path: target.path })
  const finds = new FoundPaths(query.limit)
  const command = commandIn(search, opened, Engine.filesArguments(query))
  yield* runWithin(search, finds, command, takePaths(search, target, finds), { pattern: anything, glob: query.glob })
  return finds
}, Effect.scoped)

export const searchLines = Effect.fnUntraced(function* (
  search: Search,
  target: LocationFiles.Target,
  query: GrepQuery
) {
  const opened = yield* search.files.open(target)
  const finds = new FoundLines(query.limit)
  // One more than is wanted tells that there are more.
  const pattern = { ...query, maxCount: query.limit + 1 }
  const command =
    opened._tag === "File"
      ? Engine.plain(search.programs, "/", Engine.linesArguments(pattern, undefined), contentOf(opened, finds))
      : commandIn(search, opened, Engine.linesArguments(pattern, query))
  const admit = opened._tag === "File" ? admitOwn(target, finds) : admitBelow(search, target, finds)
  yield* runWithin(search, finds, command, takeLines(finds, admit), query)
  return finds
}, Effect.scoped)

const commandIn = ({ isolation, programs }: Search, { place }: OpenDirectory, args: ReadonlyArray<string>) =>
  isolation === "namespace" ? Engine.isolated(programs, place, args) : Engine.plain(programs, place, args)

/** One read from the disk. */
const chunkBytes = 256 * 1024

/** Of one file the engine gets the bytes and not the name. What is beyond the limit is not searched. */
const contentOf = (file: OpenFile, finds: Finds) =>
  Stream.unfold(0, (position) =>
    Effect.map(file.read(position, chunkBytes), (bytes) => {
      if (position >= Engine.maxFileBytes && bytes.length > 0) finds.isPartial = true
      return bytes.length === 0 || position >= Engine.maxFileBytes
        ? undefined
        : ([bytes, position + bytes.length] as const)
    })
  ).pipe(
    Stream.mapError(() => PlatformError.systemError({ _tag: "Unknown", module: "LocationSearch", method: "read" }))
  )

/** At the time limit the engine ends, and what was found until then stays. */
const runWithin = Effect.fnUntraced(function* (
  search: Search,
  finds: Finds,
  command: ChildProcess.Command,
  take: Take,
  asked: Asked
) {
  const ending = Effect.flatMap(run(search.spawner, command, take), (ended) => judge(search, finds, ended, asked))
  const ended = yield* Effect.timeoutOption(ending, search.timeLimit)
  if (Option.isNone(ended)) finds.end = "deadline"
})

const takePaths = (search: Search, target: LocationFiles.Target, finds: FoundPaths): Take => {
  let rest = Buffer.alloc(0)
  return Effect.fnUntraced(function* (bytes) {
    const joined = Buffer.concat([rest, bytes])
    let from = 0
    for (let end = joined.indexOf(0); end !== -1 && finds.end === "complete"; end = joined.indexOf(0, from)) {
      yield* admitPath(search, target, finds, joined.subarray(from, end))
      from = end + 1
    }
    rest = joined.subarray(from)
    return finds.end === "complete"
  })
}

const admitPath = Effect.fnUntraced(function* (
  { files }: Search,
  target: LocationFiles.Target,
  finds: FoundPaths,
  bytes: Buffer
) {
  const path = bytes.toString("utf8")
  if (!Buffer.from(path, "utf8").equals(bytes)) return void finds.unnameable++
  const place = yield* placeOf(files, target, path, finds, 1)
  if (Option.isSome(place)) finds.add(place.value.resource)
})

type Admit = (lines: ReadonlyArray<Line>) => Effect.Effect<void>

const takeLines = (finds: FoundLines, admit: Admit): Take => {
  const reader = new RecordReader()
  let pending: Array<Line> = []
  const step = Effect.fnUntraced(function* (event: Event) {
    if (event._tag === "Line") return void pending.push(event)
    const lines = pending
    pending = []
    yield* admit(lines)
    yield* (yield* Progress.Service).report({ completed: finds.count })
  })
  return Effect.fnUntraced(function* (bytes) {
    for (const event of reader.push(bytes)) if (finds.end === "complete") yield* step(event)
    return finds.end === "complete"
  })
}

const admitOwn =
  ({ resource }: LocationFiles.Target, finds: FoundLines): Admit =>
  (lines) =>
    Effect.sync(() => finds.add(resource, lines))

const admitBelow = ({ files, isolation }: Search, target: LocationFiles.Target, finds: FoundLines): Admit =>
  Effect.fnUntraced(function* (lines) {
    const path = lines[0]?.path
    if (path === undefined) return void (finds.unnameable += Math.min(1, lines.length))
    const place = yield* placeOf(files, target, path, finds, matchesIn(lines))
    if (Option.isNone(place)) return
    const proven = isolation === "namespace" ? lines : yield* provenLines(files, place.value, lines)
    finds.dropped += matchesIn(lines) - matchesIn(proven)
    if (matchesIn(proven) > 0) finds.add(place.value.resource, proven)
  })

const matchesIn = (lines: ReadonlyArray<Line>): number => lines.filter(({ isMatch }) => isMatch).length
