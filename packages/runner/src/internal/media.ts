/** Which media a provider can be trusted with: one that it cannot read makes it refuse the whole conversation, for ever. */
import type { ToolContent } from "@haft/core/ToolContent"
import * as OutputBounds from "@haft/registry/OutputBounds"
import * as Base64 from "effect/encoding/Base64"
import * as Sentences from "./sentences.ts"

export type Media = Extract<ToolContent, { readonly _tag: "Media" }>

/** How files of these types begin. `undefined` is any byte. */
const beginnings: ReadonlyMap<string, ReadonlyArray<ReadonlyArray<number | undefined>>> = new Map([
  ["image/png", [[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]]],
  ["image/jpeg", [[0xff, 0xd8, 0xff]]],
  ["image/gif", [[0x47, 0x49, 0x46, 0x38]]],
  ["image/webp", [[0x52, 0x49, 0x46, 0x46, undefined, undefined, undefined, undefined, 0x57, 0x45, 0x42, 0x50]]]
])

const pdf = [[0x25, 0x50, 0x44, 0x46, 0x2d]]

/** Of an image: what the strictest of the large providers takes, as it is for the output of tools. */
const maxImageBytes = OutputBounds.defaults.mediaBytes

const begins = (data: Uint8Array, all: ReadonlyArray<ReadonlyArray<number | undefined>> = []): boolean =>
  all.some((bytes) => bytes.every((byte, index) => byte === undefined || data[index] === byte))

/** One that the large providers show to a model. */
export const isImage = ({ data, mimeType }: Media): boolean =>
  data.length <= maxImageBytes && begins(data, beginnings.get(mimeType))

export const isPdf = ({ data, mimeType }: Media): boolean => mimeType === "application/pdf" && begins(data, pdf)

/** Says that it is something that it is not. */
export const isFalse = (media: Media): boolean =>
  (media.mimeType.startsWith("image/") || media.mimeType === "application/pdf") && !isImage(media) && !isPdf(media)

export const base64 = ({ data }: Media): string => Base64.encode(data)

export const dataUrl = (media: Media): string => `data:${media.mimeType};base64,${base64(media)}`

/** Files need a name, and tools need not give one. */
export const fileName = ({ name }: Media): string => name ?? "document.pdf"

export const noteOf = ({ data, mimeType, name }: Media): string => Sentences.media(mimeType, name, data.length)

/** The text of all parts, with a note for whatever is none. */
export const plainText = (content: ReadonlyArray<ToolContent>): string =>
  content.map((part) => (part._tag === "Text" ? part.text : noteOf(part))).join("\n")
