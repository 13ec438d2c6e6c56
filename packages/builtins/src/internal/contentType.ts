/** What a body is, by what the server says and by what it begins with. Both have to agree. */
import { encodingOf, mediaTypeOf } from "./media.ts"

export interface ContentType {
  /** In lower case, without parameters. */
  readonly mimeType: string
  readonly charset: string | undefined
}

export const parseContentType = (header: string | undefined): ContentType | undefined => {
  const [type = "", ...parameters] = (header ?? "").split(";").map((part) => part.trim())
  if (!/^[\w.+-]{1,127}\/[\w.+-]{1,127}$/.test(type)) return undefined
  const charset = parameters.find((parameter) => /^charset=/i.test(parameter))?.slice("charset=".length)
  return { mimeType: type.toLowerCase(), charset: charset?.replaceAll(/^["']|["']$/g, "") }
}

const textual =
  /^text\/|^application\/(?:json|xml|xhtml\+xml|yaml|toml|javascript|ecmascript|typescript|graphql|sql|x-[\w-]*(?:json|yaml|javascript|sh)|[\w.-]+\+(?:json|xml|yaml))$/

/** Whether a model can read it. */
export const isTextual = (mimeType: string): boolean => textual.test(mimeType)

export const isHtml = (mimeType: string): boolean => mimeType === "text/html" || mimeType === "application/xhtml+xml"

/** Where the server says nothing. */
export const guessed = (bytes: Uint8Array): string =>
  /^\s*(?:<!doctype html|<html)/i.test(Buffer.from(bytes.subarray(0, 512)).toString("latin1"))
    ? "text/html"
    : "text/plain"

/** What it is instead of text, if it is something else. */
export const sniffed = (bytes: Uint8Array, charset: string | undefined): string | undefined => {
  const media = mediaTypeOf(bytes)
  if (media !== undefined) return media
  const head = Buffer.from(bytes.subarray(0, 8)).toString("latin1")
  const packed = archives.find(([begin]) => head.startsWith(begin))?.[1]
  if (packed !== undefined) return packed
  const isWide = decoderOf(charset ?? "utf-8").encoding.startsWith("utf-16")
  return encodingOf(bytes) === "binary" && !isWide ? "application/octet-stream" : undefined
}

/** What servers most often hand out under a wrong name, besides images. */
const archives = [
  ["PK\u0003\u0004", "application/zip"],
  ["\u001f\u008b", "application/gzip"],
  ["\u007fELF", "application/x-elf"],
  ["7z\u00bc\u00af", "application/x-7z-compressed"]
] as const

/** The mark at its beginning decides, then the server, then the page itself. Without any it is UTF-8. */
export const textOf = (bytes: Uint8Array, type: ContentType): { readonly text: string; readonly charset: string } => {
  const label = markedCharset(bytes) ?? type.charset ?? (isHtml(type.mimeType) ? metaCharset(bytes) : undefined)
  const decoder = decoderOf(label ?? "utf-8")
  // As a stream, because the last character may have been cut in half.
  return { text: decoder.decode(bytes, { stream: true }), charset: decoder.encoding }
}

const markedCharset = ([first, second, third]: Uint8Array): string | undefined => {
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8"
  if (first === 0xff && second === 0xfe) return "utf-16le"
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined
}

/** Browsers look no further, either. */
const metaBytes = 1024

const metaCharset = (bytes: Uint8Array): string | undefined =>
  /<meta[^>]{0,200}charset=["']?([\w-]{1,40})/i.exec(Buffer.from(bytes.subarray(0, metaBytes)).toString("latin1"))?.[1]

/** A name that nobody knows says nothing. */
const decoderOf = (label: string) => {
  try {
    return new TextDecoder(label)
  } catch {
    return new TextDecoder()
  }
}
