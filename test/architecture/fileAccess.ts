/** Who may name files to the operating system on behalf of a call. */
import { locate, type Source } from "./sources.ts"

/** Everything in Node and Effect that opens, changes or looks at files by their paths. */
const doors: ReadonlySet<string> = new Set(["fs", "fs/promises", "node:fs", "node:fs/promises", "effect/FileSystem"])

/**
 * The one module of the built-in tools that does, and only ever one name below a directory that it holds; and those that
 * read about processes by their numbers and make the kernel's groups for them.
 */
const keepers: ReadonlySet<string> = new Set([
  "internal/pins.ts",
  "internal/shellGroups.ts",
  "internal/shellProcesses.ts"
])

/** Imports of types are of no use to a path. */
export const fileAccesses = (source: Source): ReadonlyArray<string> =>
  source.package === "builtins" && !keepers.has(source.path)
    ? source.imports
        .filter(({ isTypeOnly, specifier }) => !isTypeOnly && doors.has(specifier))
        .map(({ specifier }) => `${locate(source)} reaches files through ${specifier}`)
    : []
