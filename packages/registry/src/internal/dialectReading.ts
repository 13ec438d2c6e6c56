/** How arguments in a provider's dialect differ from arguments of the tool, as data that a reader follows. */
import type { Form } from "./dialectForm.ts"
import type { Member } from "./shape.ts"

export type Reading =
  | { readonly _tag: "Same" }
  | { readonly _tag: "Items"; readonly items: Reading }
  /** By the key in the dialect. */
  | { readonly _tag: "Fields"; readonly fields: ReadonlyMap<string, Field>; readonly rest: Reading }
  /** A list of `key` and `value` for an object. */
  | { readonly _tag: "Entries"; readonly value: Reading }
  /** An object with a key for each position, and one for the elements after them. */
  | { readonly _tag: "Positions"; readonly fields: ReadonlyMap<string, Field>; readonly rest: Reading }
  /** JSON text for the value that it is the text of. */
  | { readonly _tag: "Text" }
  | { readonly _tag: "Labels"; readonly members: ReadonlyMap<string, Member | null> }
  /** An object with one key, which says what is in it. */
  | { readonly _tag: "Options"; readonly options: ReadonlyMap<string, Reading> }
  /** The first whose form the value has. */
  | { readonly _tag: "Alternatives"; readonly alternatives: ReadonlyArray<Alternative> }
  | { readonly _tag: "Named"; readonly name: string }

export interface Alternative {
  readonly forms: ReadonlyArray<Form>
  readonly reading: Reading
}

export interface Field {
  /** In the arguments. A field that has none is there for the dialect only. */
  readonly name: string | undefined
  readonly reading: Reading
  /** Null stands for a property that is left out. */
  readonly nullIsAbsent: boolean
  /** The one key of the object that then stands for null itself. */
  readonly nullKey: string | undefined
  /** The entries in it are properties of the object that it is in. */
  readonly isSpread: boolean
}

/** The readings of the parts that refer to themselves. */
export type Named = ReadonlyMap<string, Reading>

export const same: Reading = { _tag: "Same" }

/** Keys of an entry. */
export const entryKey = "key"
export const entryValue = "value"

/** The key of the elements after the positions. */
export const restKey = "rest"
