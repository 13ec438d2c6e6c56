/** What a provider makes of JSON Schema, as data: a host may copy a profile and change what has changed since. */

/** Where a rule was read, and when: providers change theirs without a version. */
export interface Source {
  readonly url: string
  /** The day on which it was read. */
  readonly read: string
  /** What it says, in a few words. */
  readonly says: string
}

/** How much a provider takes. What is not named here it does not limit, as far as is known. */
export interface Limits {
  /** Tools in one request. */
  readonly tools?: number
  /** Characters of a tool's name. */
  readonly name?: number
  /** Characters of a tool's description. The rest of a longer one is said in its schema. */
  readonly description?: number
  /** Properties in the schema of one tool. */
  readonly properties?: number
  /** Objects inside each other. */
  readonly nesting?: number
  /** Enum members in the schema of one tool. */
  readonly enumMembers?: number
  /** Characters of property names, names of definitions and enum members in the schema of one tool. */
  readonly text?: number
  /** An enum with more than `above` members may have `characters` in all of them. */
  readonly longEnum?: { readonly above: number; readonly characters: number }
}

export interface Profile {
  /** Named in errors. */
  readonly provider: string
  readonly sources: ReadonlyArray<Source>
  /** Whether alternatives and the like may stand next to `type: "object"` at the root. */
  readonly rootAlternatives: boolean
  /** A regular expression that property names have to match as a whole. */
  readonly propertyNames?: string
  /** Keywords that are understood. The others are said in words, and the tool still holds arguments to them. */
  readonly keywords: ReadonlyArray<string> | "all"
  /** Values of `format` that are understood. */
  readonly formats: ReadonlyArray<string> | "all"
  /** Whether regular expressions may look ahead and behind. */
  readonly lookaround: boolean
  /** How a property that may be left out is shown: not required, or required and null if it is left out. */
  readonly optional: "notRequired" | "null"
  /** How null is shown: as a type, or as the keyword of OpenAPI. */
  readonly nulls: "type" | "nullable"
  /** How an object with free keys is shown: as one, or as a list of entries. */
  readonly records: "object" | "entries"
  /** How a list with positions is shown: as one, as a list of anything in it, or as an object with a key for each. */
  readonly tuples: "prefixItems" | "items" | "object"
  /** How a value of any type is shown: as such, or as its JSON text. */
  readonly anything: "schema" | "text"
  /** Whether enums may have members that are no text. */
  readonly enums: "any" | "text"
  /** Whether a recursive schema may refer to itself. If not, it is shown as JSON text. */
  readonly references: boolean
  /** Whether an object may have no properties. */
  readonly emptyObjects: boolean
  readonly limits: Limits
}
