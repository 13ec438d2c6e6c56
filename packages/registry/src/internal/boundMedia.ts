/** Which media a model gets as they are, and what stands in the places of the others. */
import type { Ref } from "@haft/core/ManagedOutput"
import type * as OutputStore from "@haft/core/OutputStore"
import * as ToolContent from "@haft/core/ToolContent"
import type { ToolOutput } from "@haft/core/ToolOutput"
import * as Effect from "effect/Effect"
import type { Keeping } from "./keeping.ts"
import { withoutCopies } from "./mediaCopies.ts"
import * as OutputContent from "./outputContent.ts"
import * as Sentences from "./sentences.ts"
import { shortText } from "./shortText.ts"

export interface MediaLimits {
  /** Of one part. */
  readonly mediaBytes: number
  /** Of all parts of a call together. */
  readonly mediaTotalBytes: number
  readonly mediaParts: number
}

/** Media that are too large, or too many, are kept, and notes with the references take their places. */
export const boundMedia = Effect.fnUntraced(function* (
  output: ToolOutput,
  limits: MediaLimits,
  keeping: Keeping
): Effect.fn.Return<ToolOutput, OutputStore.StorageError> {
  const media = output.content.filter((part) => part._tag === "Media")
  const places: Array<Place> = []
  for (const [index, number] of numbers(media, limits).entries()) {
    const part = media[index]
    if (number !== undefined) places.push(number)
    else if (part !== undefined) places.push((yield* keeping.keep(OutputContent.ofMedia(part))).ref)
  }
  return inPlaces(output, media, places)
})

/** A part that a model gets has a number; one that is kept has a reference. */
type Place = number | Ref

/** Of those that fit, in their order. One that is too large does not keep out those after it. */
const numbers = (media: ReadonlyArray<ToolContent.Media>, limits: MediaLimits): ReadonlyArray<number | undefined> => {
  let [count, bytes] = [0, 0]
  return media.map(({ data }) => {
    const isLarge = data.length > limits.mediaBytes || bytes + data.length > limits.mediaTotalBytes
    if (isLarge || count >= limits.mediaParts) return undefined
    bytes += data.length
    return ++count
  })
}

/** The same object if there is nothing to change. */
const inPlaces = (
  output: ToolOutput,
  media: ReadonlyArray<ToolContent.Media>,
  places: ReadonlyArray<Place>
): ToolOutput => {
  const structured = withoutCopies(output.structured, media, (index) => pointerTo(places[index]))
  if (structured === output.structured && places.every(isNumber)) return output
  const rest = places.values()
  const content = output.content.map((part) => (part._tag === "Media" ? inPlace(part, rest.next().value) : part))
  return { structured, content }
}

const isNumber = (place: Place): boolean => typeof place === "number"

const pointerTo = (place: Place | undefined): string =>
  typeof place === "string" ? Sentences.sameAsKept(place) : Sentences.sameAsMedia(place ?? 0)

const inPlace = (part: ToolContent.Media, place: Place | undefined): ToolContent.ToolContent => {
  if (typeof place !== "string") return part
  const { data, mimeType, name } = part
  const shown = name === undefined ? mimeType : `${shortText(name, nameRoom)}, ${mimeType}`
  return ToolContent.text(Sentences.mediaKept(shown, data.length, place))
}

/** No file system has longer names. */
const nameRoom = { bytes: 255, lines: 1 }
