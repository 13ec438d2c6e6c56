/** The content of an answer: unpacked, counted, and no more of it than is allowed. */
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { pipeline, type Readable } from "node:stream"
import { createBrotliDecompress, createGunzip } from "node:zlib"
import { type BodyError, ConnectionError, EncodingError, TooLargeError } from "./fetchErrors.ts"
import { codeOf, reasonOf, type Response } from "./fetchHop.ts"
import { maxRatio, ratioFromBytes } from "./fetchLimits.ts"

/** What we say that we understand. */
export const acceptEncoding = "gzip, br"

const unpackers = { gzip: createGunzip, "x-gzip": createGunzip, br: createBrotliDecompress } as const

type Coding = keyof typeof unpackers | undefined

/** At most one: several are only ever used to get past those who count. */
export const codingOf = ({ header }: Response): Result.Result<Coding, EncodingError> => {
  const named = header("content-encoding")?.trim().toLowerCase() ?? "identity"
  if (named === "identity") return Result.succeed(undefined)
  if (named === "gzip" || named === "x-gzip" || named === "br") return Result.succeed(named)
  return Result.fail(new EncodingError({ reason: "Unsupported" }))
}

export interface BodyOptions {
  readonly host: string
  readonly coding: Coding
  readonly maxBytes: number
}

/** Ends with an error at the first byte that is too many, after all that are not. */
export const bodyOf = (body: Readable, options: BodyOptions): Stream.Stream<Uint8Array, BodyError> =>
  Stream.fromAsyncIterable(bounded(unpacked(body, options.coding), options.maxBytes), (error) =>
    bodyError(error, options.host)
  )

async function* bounded(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let left = maxBytes
  for await (const chunk of chunks) {
    if (chunk.length > left) {
      if (left > 0) yield chunk.subarray(0, left)
      throw new TooLargeError({ maxBytes })
    }
    left -= chunk.length
    yield chunk
  }
}

async function* unpacked(body: Readable, coding: Coding): AsyncGenerator<Uint8Array> {
  if (coding === undefined) return yield* body
  let bytes = 0
  // What goes wrong on the way comes out of the last stream, and leaving the loop ends them all.
  const unpacker = pipeline(body, unpackers[coding](), () => undefined)
  for await (const chunk of unpacker) {
    bytes += chunk.length
    if (bytes > ratioFromBytes && bytes > maxRatio * unpacker.bytesWritten) throw new EncodingError({ reason: "Ratio" })
    yield chunk
  }
}

const bodyError = (error: unknown, host: string): BodyError => {
  if (error instanceof TooLargeError || error instanceof EncodingError) return error
  if (isPacking(codeOf(error))) return new EncodingError({ reason: "Broken" })
  return new ConnectionError({ host, reason: reasonOf(error) })
}

/** As zlib and brotli name what can be wrong with packed data. */
const isPacking = (code: string): boolean => /^Z_|^ERR__ERROR_|^ERR_BROTLI/.test(code)
