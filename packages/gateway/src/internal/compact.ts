/** Leaves out what is not there: an optional field is present or absent, never undefined. */
type Present<Fields> = {
  readonly [Key in keyof Fields as undefined extends Fields[Key] ? never : Key]: Fields[Key]
} & {
  readonly [Key in keyof Fields as undefined extends Fields[Key] ? Key : never]?: Exclude<Fields[Key], undefined>
}

export function compact<const Fields extends object>(fields: Fields): Present<Fields>
export function compact(fields: Readonly<Record<string, unknown>>): object {
  // For each call several times, and therefore without lists in between.
  const present: Record<string, unknown> = {}
  for (const key in fields) if (fields[key] !== undefined) present[key] = fields[key]
  return present
}
