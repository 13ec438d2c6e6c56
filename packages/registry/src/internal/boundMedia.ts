/** Which media a model gets as they are, and what stands in the places of the others. */
import type { Ref } from "@haft/core/ManagedOutput"
import type * as OutputStore from "@haft/core/OutputStore"
import * as ToolContent from "@haft/core/ToolContent"
import type { ToolOutput } from "@haft/core/ToolOutput"
import * as Effect from "effect/Effect"
import type { Keeping } from "./keeping.ts"
import type { Keys } from "./keys.ts"
import { textWithoutCopy, withoutCopies } from "./mediaCopies.ts"
import type { MediaRoom } from "./mediaRoom.ts"
import * as OutputContent from "./outputContent.ts"
import * as Sentences from "./sentences.ts"
import { shortText } from "./shortText.ts"
import { inSteps, type Steps } from "./steps.ts"

/** Media that are too large, or too many, are kept, and notes with the references take their places. */
export const boundMedia = Effect.fnUntraced(function* (
  output: ToolOutput,
  room: MediaRoom,
  keeping: Keeping
): Effect.fn.Return<ToolOutput, OutputStore.StorageError> {
  const media = output.content.filter((part) => part._tag === "Media")
  const places: Array<Place> = []
  for (const [index, number] of media.map(({ data }) => room.take(data.length)).entries()) {
    const part = media[index]
    if (number !== undefined) places.push(number)
    else if (part !== undefined) places.push((yield* keeping.keep(OutputContent.ofMedia(part))).ref)
  }
  return yield* inSteps(() => inPlaces(output, media, places, keeping.keys))
})

/** A part that a model gets has a number; one that is kept has a reference. */
type Place = number | Ref

/** The same object if there is nothing to change. */
function* inPlaces(
  output: ToolOutput,
  media: ReadonlyArray<ToolContent.Media>,
  places: ReadonlyArray<Place>,
  keys: Keys
): Steps<ToolOutput> {
  const pointer = (index: number) => pointerTo(places[index])
  const structured = yield* withoutCopies(output.structured, media, pointer, keys)
  const rest = places.values()
  const content: Array<ToolContent.ToolContent> = []
  for (const part of output.content) {
    if (part._tag === "Media") content.push(inPlace(part, rest.next().value))
    else content.push(sameText(part, yield* textWithoutCopy(part.text, media, pointer)))
  }
  const isSame = structured === output.structured && content.every((part, index) => part === output.content[index])
  return isSame ? output : { structured, content }
}

const sameText = (part: ToolContent.Text, text: string): ToolContent.Text =>
  text === part.text ? part : ToolContent.text(text)

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
