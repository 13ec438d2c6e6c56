/** Finds texts that repeat the bytes of a media part: a model has no use for them, and they are huge. */
import type { Media } from "@haft/core/ToolContent"
import type * as Schema from "effect/Schema"
import { isCopy } from "./base64Copy.ts"
import { type Container, isContainer, isList } from "./containers.ts"
import type { Keys } from "./keys.ts"
import type { Steps } from "./steps.ts"

/** In base64. A shorter text may be equal by chance, and costs less than what would stand in its place. */
const leastCharacters = 128

/** What stands for a copy of the part at an index. */
export type Pointer = (index: number) => string

/** Entries that are looked at without a pause: a fraction of a millisecond. */
const stepEntries = 4_096

/** The same text, or a pointer if it is the base64 or the data URL of one of these parts. */
export function* textWithoutCopy(text: string, media: ReadonlyArray<Media>, pointer: Pointer): Steps<string> {
  if (text.length < leastCharacters) return text
  for (const [index, part] of media.entries()) if (yield* isCopy(text, part)) return pointer(index)
  return text
}

/** The same value, or one in which pointers stand for every text that is a copy. */
export function* withoutCopies(
  value: Schema.Json,
  media: ReadonlyArray<Media>,
  pointer: Pointer,
  keys: Keys
): Steps<Schema.Json> {
  const replaced = (text: string) => textWithoutCopy(text, media, pointer)
  if (typeof value === "string") return yield* replaced(value)
  return isContainer(value) ? yield* replacedWithin(value, replaced, keys) : value
}

/** Keeps its own stack, so nothing is too deep for it. */
function* replacedWithin(
  container: Container,
  replaced: (text: string) => Steps<string>,
  keys: Keys
): Steps<Container> {
  const frameOf = (container: Container) =>
    isList(container) ? list(container) : object(container, keys.of(container))
  const root = frameOf(container)
  const open = [root]
  let entries = 0
  for (let frame = open.at(-1); frame !== undefined; frame = open.at(-1)) {
    if (++entries % stepEntries === 0) yield undefined
    const child = frame.next()
    if (typeof child === "string") frame.put(yield* replaced(child))
    else if (child === undefined) {
      open.pop()
      open.at(-1)?.put(frame.result())
    } else if (isContainer(child)) open.push(frameOf(child))
  }
  return root.result()
}

/** A container, of which one entry after the other is looked at. It is copied when the first of them changes. */
interface Frame {
  readonly next: () => Schema.Json | undefined
  /** In place of the entry that was given last. */
  readonly put: (value: Schema.Json) => void
  readonly result: () => Container
}

const list = (items: Schema.JsonArray): Frame => {
  let index = -1
  let changed: Array<Schema.Json> | undefined
  return {
    next: () => (++index < items.length ? (items[index] ?? null) : undefined),
    put: (value) => {
      if (value === items[index]) return
      changed ??= [...items]
      changed[index] = value
    },
    result: () => changed ?? items
  }
}

const object = (members: Schema.JsonObject, names: ReadonlyArray<string>): Frame => {
  let index = -1
  let changed: Record<string, Schema.Json> | undefined
  return {
    next: () => (++index < names.length ? (members[names[index] ?? ""] ?? null) : undefined),
    put: (value) => {
      const name = names[index] ?? ""
      if (value === members[name]) return
      changed ??= { ...members }
      changed[name] = value
    },
    result: () => changed ?? members
  }
}
