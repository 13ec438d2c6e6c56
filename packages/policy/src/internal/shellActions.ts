/** The actions that are about commands, by what a command can reach. */

export const isolated = "shell"

/** Isolated, and with a network: what was allowed to a command without one is not allowed to it. */
export const networked = "shell_network"

/** No rule and no saved answer allows it. */
export const unisolated = "shell_unisolated"

const actions: ReadonlySet<string> = new Set([isolated, networked, unisolated])

export const isShell = (action: string): boolean => actions.has(action)

/** Actions whose rules count for it if they deny or ask: what is denied to a command that reaches less is denied to it, too. */
export const restrictedAs = (action: string): ReadonlyArray<string> => [...new Set([isolated, action])]
