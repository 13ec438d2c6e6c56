/** What a path may look like. The text is checked and used unchanged: nothing is trimmed, unquoted, decoded or expanded. */
import { InvalidPathError } from "./fileErrors.ts"

/** The longest path that Linux accepts. */
const maxBytes = 4096

/** The longest name that Linux file systems accept. */
const maxComponentBytes = 255

/** Deeper than any project, and few enough descriptors for one walk. */
const maxComponents = 64

/** Throws if the text can be no path. */
export const check = (path: string): void => {
  const reason = faultOf(path)
  if (reason !== undefined) throw new InvalidPathError({ reason })
}

const faultOf = (path: string): InvalidPathError["reason"] | undefined => {
  if (path === "") return "Empty"
  if (path.includes("\0")) return "Nul"
  if (!path.isWellFormed()) return "IllFormed"
  if (Buffer.byteLength(path) > maxBytes) return "TooLong"
  const components = componentsOf(path)
  if (components.length > maxComponents) return "TooManyComponents"
  return components.some((name) => Buffer.byteLength(name) > maxComponentBytes) ? "ComponentTooLong" : undefined
}

/** `..` is kept: only a walk knows where it leads. */
export const componentsOf = (path: string): ReadonlyArray<string> =>
  path.split("/").filter((name) => name !== "" && name !== ".")

export const isAbsolute = (path: string): boolean => path.startsWith("/")

/** The components below a directory, or nothing if the path is not below it, component by component. */
export const below = (directory: string, path: string): ReadonlyArray<string> | undefined => {
  const outer = componentsOf(directory)
  const inner = componentsOf(path)
  return outer.every((name, index) => name === inner[index]) ? inner.slice(outer.length) : undefined
}

/** Takes `..` away by the text alone, for a path that is then walked as it is written here. */
export const normalized = (path: string): ReadonlyArray<string> => {
  const names: Array<string> = []
  for (const name of componentsOf(path)) {
    if (name === "..") names.pop()
    else names.push(name)
  }
  return names
}

export const absolute = (names: ReadonlyArray<string>): string => `/${names.join("/")}`

/** Below the root with forward slashes; `.` is the root itself. */
export const relative = (names: ReadonlyArray<string>): string => (names.length === 0 ? "." : names.join("/"))
