/** Names of the files that stand beside a file while it is changed. */

/** For one change. `token` is random text. */
export const stagedNames = (token: string) => ({ temporary: `.haft-${token}.tmp`, backup: `.haft-${token}.old` })

const form = /^\.haft-[0-9a-f]{32}\.(?:tmp|old)$/

/** Whether a change in progress, or one that was cut short, may be what a name stands for. */
export const isStaged = (name: string): boolean => form.test(name)
