/** Every sentence of this package that a model reads. */

/** Why a name led to no executor. */
export const unresolved = (reason: "UnknownTool" | "StaleCall", name: string): string =>
  reason === "UnknownTool"
    ? `There is no tool called ${quoted(name)}. Use one of the tools that were offered.`
    : `The tool ${quoted(name)} has changed since it was offered, so the call did not run. Call it again in the next turn.`

export const duplicateCall = "An earlier call has the same id and asked for something else, so this one did not run."

export const timedOut = (limitMs: number): string => `The call took longer than ${limitMs} ms and was stopped.`

/** Names come from the model and can be of any length. */
const maxNameLength = 100

export const shownName = (name: string): string =>
  name.length <= maxNameLength ? name : `${name.slice(0, maxNameLength).toWellFormed()}…`

const quoted = (name: string): string => JSON.stringify(shownName(name))

/** Ends a preview. */
export const omitted = (ref: string): string => `\n[cut here; the complete output was kept as ${ref}]`
