/** Before what a process measured, on a line of its own: others print too. */
export const mark = "haft-bench-result:"
