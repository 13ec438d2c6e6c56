/** Every sentence of this package that a model reads. */
import type { SideEffect } from "@haft/core/SideEffect"
import type { Size } from "./tally.ts"

/** Why a name led to no executor. `near` is one that was offered and that might be meant. */
export const unresolved = (reason: "UnknownTool" | "StaleCall", name: string, near: string | undefined): string =>
  reason === "UnknownTool"
    ? `There is no tool called ${quoted(name)}. ${near === undefined ? "" : `Did you mean ${near}? `}Use one of the tools that were offered.`
    : `The tool ${quoted(name)} has changed since it was offered, so the call did not run. Call it again in the next turn.`

export const duplicateCall = "An earlier call has the same id and asked for something else, so this one did not run."

/** What a deadline means depends on what may have happened before it. */
export const timedOut = (limitMs: number, effect: SideEffect["_tag"]): string => {
  if (effect === "NotStarted") return `The call could not start within ${limitMs} ms, so nothing has happened.`
  const stopped = `The call took longer than ${limitMs} ms and was stopped.`
  return effect === "Unknown" ? `${stopped} It may or may not have taken effect: look before you repeat it.` : stopped
}

/** Names come from the model and can be of any length. */
const maxNameLength = 100

export const shownName = (name: string): string =>
  name.length <= maxNameLength ? name : `${name.slice(0, maxNameLength).toWellFormed()}…`

const quoted = (name: string): string => JSON.stringify(shownName(name))

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`

/** Where the complete output is, and how to read it if the turn offers a way. */
export interface Kept {
  readonly ref: string
  readonly reader: string | undefined
}

const keptAs = ({ reader, ref }: Kept): string =>
  reader === undefined ? `was kept as ${ref}.` : `was kept as ${ref}: read it with ${reader}.`

/** Stands between the beginning and the end of a text. A line is left out if nothing of it is shown. */
export const leftOut = ({ bytes, lines }: Size, kept: Kept): string =>
  `[${lines === 0 ? "" : `${counted(lines, "line")}, `}${counted(bytes, "byte")} left out here. The complete output ${keptAs(kept)}]`

/** The shortest that can be said about an output that is kept. */
export const brief = (ref: string): string => `[kept as ${ref}]`

/** Comes with the preview of a structured value. */
export const shortened = (bytes: number, kept: Kept): string =>
  `This is shortened from ${counted(bytes, "byte")}. The complete value ${keptAs(kept)}`

/** Follows the message of a failure or a rejection of which something is missing. */
export const shortenedReport = (bytes: number, kept: Kept): string =>
  `[This is shortened from ${counted(bytes, "byte")}. All of it ${keptAs(kept)}]`

/** Ends an answer about a kept output, of which nothing is kept again. In ASCII, so that its length is its size. */
export const answerEnds = ({ bytes, lines }: Size): string =>
  `[This answer ends here, ${lines === 0 ? "" : `${counted(lines, "line")}, `}${counted(bytes, "byte")} after its first line: there is no room for more in this turn. Read the same reference again from this point, or with a smaller limit.]`

export const ellipsis = "…"

export const charactersLeftOut = (count: number): string => `… [${counted(count, "character")} left out] …`

export const itemsLeftOut = (count: number): string => `… ${counted(count, "item")} left out`

export const keysLeftOut = (count: number): string => `${counted(count, "key")} left out`

/** For where the keys are not in the order that they were shown in. */
export const keysLeftOutBetween = (count: number, first: number, last: number): string =>
  `${keysLeftOut(count)} between the first ${first} and the last ${last}`

export const nested = "… nested too deeply to be shown here"

/** In place of a media part that is too large to be sent, or one too many. */
export const mediaKept = (media: string, bytes: number, ref: string): string =>
  `[${media}: not shown here. Its ${counted(bytes, "byte")} ${bytes === 1 ? "was" : "were"} kept as ${ref}.]`

/** In place of a text that repeats the bytes of a media part. */
export const sameAsMedia = (number: number): string => `[the same bytes as media part ${number} of this output]`

/** In place of a text that repeats the bytes of a media part that is kept. */
export const sameAsKept = (ref: string): string => `[the same bytes were kept as ${ref}]`

/** Of one thing that is said about a schema in words. What is longer says more to a program than to a model. */
const maxWordsLength = 200

/** A description, what the dialect makes of it, and the keywords that the dialect does not have. */
export const description = (
  text: string | undefined,
  note: string | undefined,
  keywords: Readonly<Record<string, unknown>>
): string | undefined => {
  const words = Object.entries(keywords).map(([keyword, value]) => `${keyword}: ${cut(JSON.stringify(value))}`)
  const parts = [...(text === undefined ? [] : [text]), ...(note === undefined ? [] : [note]), ...listed(words)]
  return parts.length === 0 ? undefined : parts.map(ended).join(" ")
}

const listed = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.length === 0 ? [] : [`(${words.join(", ")})`]

/** What follows is another sentence. */
const ended = (text: string, index: number, { length }: ReadonlyArray<string>): string =>
  index === length - 1 || /[.!?:;\s]$/.test(text) ? text : `${text}.`

const cut = (text: string): string =>
  text.length <= maxWordsLength ? text : `${text.slice(0, maxWordsLength).toWellFormed()}…`

/** What the parts of a dialect stand for. */
export const stands = {
  anyJson: "Any JSON value, written as JSON text.",
  anyObject: "Any JSON object, written as JSON text.",
  entries: "An object, as a list of its keys and values. No key occurs twice.",
  otherProperties: "Further properties, as a list of their keys and values.",
  positions: "A list with an element for each position, item_1 being the first.",
  elements: (count: number): string => `Positions 1 to ${count} have the types given, in this order.`,
  otherElements: "The elements after these.",
  nullItself: "Stands for the value null itself.",
  input: "All arguments of the tool.",
  unused: "Not used. Leave it out.",
  recursive: (schema: string): string => `JSON text of a value of this JSON Schema: ${schema}`
}
