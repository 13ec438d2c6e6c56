/** The two actions that are about commands. */

export const isolated = "shell"

/** No rule and no saved answer allows it. What rules deny to commands is denied to these, too. */
export const unisolated = "shell_unisolated"

export const isShell = (action: string): boolean => action === isolated || action === unisolated
