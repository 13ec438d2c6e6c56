/**
 * What the engine found, looked up once more by way of descriptors. Where it could see more than the directory, its word is
 * not enough: by then a link may have led it elsewhere.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as LocationFiles from "../LocationFiles.ts"
import type { OpenFile } from "./fileReads.ts"
import type { Finds } from "./searchFinds.ts"
import type { Line } from "./searchRecords.ts"

/** Where a result is, unless that is no longer so. What is protected is not even counted. */
export const placeOf = Effect.fnUntraced(function* (
  files: LocationFiles.Interface,
  target: LocationFiles.Target,
  path: string,
  finds: Finds,
  results: number
) {
  return yield* files.below(target, path).pipe(
    Effect.asSome,
    Effect.catchTag("LocationFiles.ProtectedError", () => Effect.succeedNone),
    Effect.catch(() => Effect.sync(() => dropped(finds, results)))
  )
})

const dropped = (finds: Finds, results: number): Option.Option<never> => {
  finds.dropped += results
  return Option.none()
}

/** The lines that stand in the file as the engine saw them, in the bytes of that file. */
export const provenLines = Effect.fnUntraced(
  function* (files: LocationFiles.Interface, target: LocationFiles.Target, lines: ReadonlyArray<Line>) {
    const file = yield* files.open(target)
    if (file._tag === "Directory") return []
    const skipped = yield* markLength(file)
    const proven: Array<Line> = []
    for (const line of lines) {
      const bytes = Buffer.from(yield* file.read(line.offset + skipped, line.bytes.length))
      if (bytes.equals(line.bytes)) proven.push({ ...line, bytes })
    }
    return proven
  },
  Effect.scoped,
  // A file that cannot be read any more proves nothing.
  Effect.orElseSucceed((): ReadonlyArray<Line> => [])
)

const mark = Buffer.from("\uFEFF", "utf8")

/** The engine counts from behind a byte order mark. */
const markLength = (file: OpenFile) =>
  Effect.map(file.read(0, mark.length), (head) => (mark.equals(head) ? mark.length : 0))
