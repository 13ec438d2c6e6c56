/** What a host says about plugins, to people: what happened, where, and what can be done about it. */
import { PluginFailure } from "@haft/plugin-api/PluginFailure"

export const timedOut = (limit: string): PluginFailure =>
  new PluginFailure({
    reason: "TimedOut",
    message:
      `It was not installed within ${limit}, so it was given up. ` +
      "Let install start long work with Effect.forkScoped and not wait for it, or give plugins more time."
  })

export const died = (thrown: unknown): PluginFailure =>
  new PluginFailure({
    reason: "Died",
    message: `Installing it ended in a bug: ${messageOf(thrown)}. Nothing of it is left. Mend it and it is installed again.`
  })

export const duplicate = (id: string, source: string): PluginFailure =>
  new PluginFailure({
    reason: "DuplicateID",
    message: `The id ${id} belongs to the plugin of ${source}. Give one of them another id, or remove one.`
  })

export const interruptedCalls = (count: number, grace: string): string =>
  `${count} of its calls were still running ${grace} after it was replaced or removed, and were interrupted.`

export const unclosed = (limit: string): string =>
  `Its Scope has not closed within ${limit}: a finalizer does not end. What it holds stays in memory.`

export const diedClosing = (thrown: unknown): string => `A finalizer of it ended in a bug: ${messageOf(thrown)}.`

export const leakedFibers = (count: number): string =>
  `${count} of its fibers run on although its Scope has closed. Start them with Effect.forkScoped.`

const extensions = ".ts, .mts, .js or .mjs"

export const nothingThere = (path: string): PluginFailure =>
  new PluginFailure({ reason: "NotFound", message: `There is nothing at ${path}. Look whether the path is right.` })

export const noEntry = (directory: string): PluginFailure =>
  new PluginFailure({
    reason: "NotLoaded",
    message:
      `The directory ${directory} is no plugin: it has neither an index file nor a package.json that names one. ` +
      `Add an index that ends in ${extensions}.`
  })

export const notAModule = (path: string): PluginFailure =>
  new PluginFailure({ reason: "NotLoaded", message: `${path} is no module. A plugin ends in ${extensions}.` })

export const tooManyFiles = (directory: string, limit: number): PluginFailure =>
  new PluginFailure({
    reason: "NotLoaded",
    message: `The directory ${directory} has more than ${limit} files, which is no plugin. Move out what does not belong to it.`
  })

export const unreadable = (path: string, reason: string): PluginFailure =>
  new PluginFailure({ reason: "NotLoaded", message: `${path} cannot be read: ${reason}.` })

export const noDefaultExport = (path: string): PluginFailure =>
  new PluginFailure({
    reason: "NotAPlugin",
    message: `${path} has no default export. Write: export default Plugin.make({ id, install }).`
  })

/** The same in words that say where. */
export const at = (path: string, { message, reason }: PluginFailure): PluginFailure =>
  new PluginFailure({ reason, message: `${path}: ${message}` })

export const notLoaded = (path: string, thrown: unknown): PluginFailure =>
  new PluginFailure({
    reason: "NotLoaded",
    message: `${path} cannot be loaded. ${messageOf(thrown)}. ${adviceFor(thrown)}`
  })

/** As much as people read of whatever was thrown. */
const messageOf = (thrown: unknown): string => {
  const message = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)
  return message.slice(0, maxMessageLength).toWellFormed()
}

/** Less than fills a screen. */
const maxMessageLength = 1_000

const advice: ReadonlyMap<unknown, string> = new Map([
  [
    "ERR_MODULE_NOT_FOUND",
    "Install what it imports where Node looks for it from there, or bundle the plugin into one file."
  ],
  [
    "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX",
    "Node only takes types away: do without enums and namespaces, or compile it first."
  ],
  ["ERR_INVALID_TYPESCRIPT_SYNTAX", "Mend its syntax."],
  ["ERR_UNKNOWN_FILE_EXTENSION", `A plugin ends in ${extensions}.`],
  ["ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING", "Publish packages as JavaScript."]
])

const adviceFor = (thrown: unknown): string => {
  const code = typeof thrown === "object" && thrown !== null && "code" in thrown ? thrown.code : undefined
  const known = advice.get(code)
  if (known !== undefined) return known
  return thrown instanceof SyntaxError ? "Mend its syntax." : "Mend what its module does while it is loaded."
}
