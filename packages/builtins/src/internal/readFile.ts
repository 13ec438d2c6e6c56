/** A file as what it is: a page of text, or media. */
import * as ToolFailure from "@haft/core/ToolFailure"
import * as Effect from "effect/Effect"
import { invalidArgument } from "./failures.ts"
import type { FileError } from "./fileErrors.ts"
import type { OpenFile } from "./fileReads.ts"
import * as Media from "./media.ts"
import * as Sentences from "./readSentences.ts"
import { pathCost } from "./sentences.ts"
import type { Target } from "./targets.ts"
import { maxLines, type Page, PageMaker } from "./textPage.ts"

/** What to show, from 1. */
export interface Range {
  readonly offset?: number
  readonly limit?: number
}

/** One read from the disk. */
const chunkBytes = 256 * 1024

export const readFile = Effect.fnUntraced(function* (file: OpenFile, target: Target, range: Range) {
  const head = yield* file.read(0, chunkBytes)
  const type = Media.mediaTypeOf(head)
  if (type !== undefined) return yield* readMedia(file, target, type)
  const encoding = Media.encodingOf(head)
  if (encoding === "utf-16") return yield* unreadable(Sentences.isUtf16(target.path), Sentences.isUtf16Hint, target)
  if (encoding === "binary") return yield* unreadable(Sentences.isBinary(target.path), Sentences.isBinaryHint, target)
  const page = yield* readPage(file, head, range, target)
  if (page.lines.length === 0 && page.start > 1) return yield* beyondEnd(target, page)
  return textOf(target, page)
})

const readPage = Effect.fnUntraced(function* (
  file: OpenFile,
  head: Uint8Array,
  { limit = maxLines, offset = 1 }: Range,
  { resource }: Target
): Effect.fn.Return<Page, FileError> {
  const page = new PageMaker(offset, limit, pathCost(resource))
  let [chunk, position] = [head, 0]
  while (chunk.length > 0 && page.push(chunk)) {
    position += chunk.length
    chunk = yield* file.read(position, chunkBytes)
  }
  return page.end()
})

const textOf = ({ resource }: Target, { cut, hasInvalid, lines, next, start, total }: Page) => ({
  kind: "file" as const,
  path: resource,
  text: lines.join("\n"),
  startLine: start,
  ...(next === undefined ? {} : { nextOffset: next }),
  ...(total === undefined ? {} : { totalLines: total }),
  cutLines: cut,
  hasInvalidBytes: hasInvalid
})

const beyondEnd = ({ path }: Target, { total = 0 }: Page) =>
  Effect.fail(invalidArgument("offset", Sentences.beyondLines(path, total), Sentences.beyondEndHint(total)))

/** A byte more than is allowed tells that the file grew meanwhile. */
const readMedia = Effect.fnUntraced(function* (file: OpenFile, target: Target, mimeType: Media.MediaType) {
  const { path, resource } = target
  const limit = Media.maxBytesOf(mimeType)
  const data = file.size > limit ? undefined : yield* file.read(0, limit + 1)
  if (data === undefined || data.length > limit) {
    const message = Sentences.mediaTooLarge(path, mimeType, file.size, limit)
    return yield* unreadable(message, Sentences.mediaTooLargeHint, target)
  }
  if (!Media.isComplete(mimeType, data)) {
    return yield* unreadable(Sentences.mediaDamaged(path, mimeType), Sentences.mediaDamagedHint, target)
  }
  return { kind: "media" as const, path: resource, mimeType, data }
})

const unreadable = (message: string, hint: string, { path }: Target) =>
  ToolFailure.dataInvalid({ message, hint, field: "path", subject: path })
