/** Thrown inside lowering where a schema cannot be written in a dialect, and caught where lowering begins. */

/** A closed set, each with what its sentence needs. */
export type Reason =
  | { readonly _tag: "TooManyTools"; readonly limit: number }
  | { readonly _tag: "NameTooLong"; readonly limit: number }
  | { readonly _tag: "TooManyProperties"; readonly limit: number; readonly count: number }
  | { readonly _tag: "TooDeep"; readonly limit: number; readonly count: number }
  | { readonly _tag: "TooManyEnumMembers"; readonly limit: number; readonly count: number }
  | { readonly _tag: "TooMuchText"; readonly limit: number; readonly count: number }
  | { readonly _tag: "EnumTooLong"; readonly limit: number; readonly count: number }
  | { readonly _tag: "RecursiveSchemaTooLarge"; readonly limit: number; readonly count: number }
  | { readonly _tag: "TooLarge"; readonly limit: number }
  | { readonly _tag: "Endless" }
  | { readonly _tag: "TwoReferences" }

export class UnfitSchema extends Error {
  readonly reason: Reason
  /** Into the schema, as names of properties; `*` for every element or key. */
  readonly path: ReadonlyArray<string>

  constructor(reason: Reason, path: ReadonlyArray<string> = []) {
    super(reason._tag)
    this.reason = reason
    this.path = path
  }
}
