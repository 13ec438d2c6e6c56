/** The slots of requests: written when they say something, read leniently. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Slot from "../Slot.ts"
import { compact } from "./compact.ts"

type Content = { readonly [Key in keyof Omit<Slot.Request, "v">]?: Slot.Request[Key] | undefined }

const none: Slot.Request = { v: 1 }

const decode = Schema.decodeUnknownOption(Slot.Request)

/** A slot that is not ours, or not of a version that we know, says nothing. */
export const readSlot = (slot: Schema.Json | undefined): Slot.Request => Option.getOrElse(decode(slot), () => none)

/** Nothing, if there is nothing to say. */
export const requestSlot = (content: Content): Slot.Request | undefined => {
  const slot = { v: 1, ...compact(content) } as const
  return Object.keys(slot).length === 1 ? undefined : slot
}
