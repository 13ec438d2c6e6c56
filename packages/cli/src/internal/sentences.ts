/** Every sentence that a person reads at the terminal when something is wrong. */
import type { Question } from "@haft/builtins/Questions"
import * as Permission from "@haft/core/Permission"
import type { Update } from "@haft/core/Progress"
import type { Told } from "./faults.ts"

/** Both from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

export const unreadableConfig = (path: string, reason: string): Told => ({
  message: `${path} cannot be read: ${reason}`,
  fix: "Make it readable for your user, or name another project with --root."
})

export const hugeConfig = (path: string, maxBytes: number): Told => ({
  message: `${path} is larger than ${maxBytes} bytes and was not read.`,
  fix: "Is it another kind of file? `haft init` writes a configuration to start from."
})

export const malformedConfig = (path: string, { column, line }: Position, what: string): Told => ({
  message: `${path}:${line}:${column} is not JSON: ${what}.`,
  fix: "Comments and trailing commas are allowed; keys and texts need double quotes."
})

export interface ConfigFault {
  readonly at: string
  readonly line: number
  readonly message: string
}

export const unfitConfig = (path: string, faults: ReadonlyArray<ConfigFault>): Told => ({
  message: faults.map(({ at, line, message }) => `${path}:${line} ${at}: ${message}`).join("\n"),
  fix: "`haft init` in an empty directory writes a file with every setting explained; schemas/haft.schema.json of @haft/cli is for editors."
})

export const wrongUsage = (faults: ReadonlyArray<string>, command: ReadonlyArray<string>): string =>
  [...faults, `\`${command.join(" ")} --help\` shows how it is used.`].join("\n")

/** As a person would write it in a script. */
export const jsonPath = (keys: ReadonlyArray<string | number>): string =>
  keys.length === 0
    ? "(the whole file)"
    : keys.map((key, index) => (typeof key === "number" ? `[${key}]` : index === 0 ? key : `.${key}`)).join("")

export const noSuchRoot = (path: string): Told => ({
  message: `${path} is not a directory that can be opened.`,
  fix: "Name the project's directory with --root, or run the command inside of it."
})

export const stateInside = (state: string, root: string): Told => ({
  message: `The state directory ${state} is inside the project ${root}, where tools could reach it.`,
  fix: 'Set "state" in haft.json, or $HAFT_STATE, to a directory outside of the project.'
})

export const noHome: Told = {
  message: "There is no place for the record of calls: neither $HAFT_STATE nor $XDG_STATE_HOME nor $HOME is set.",
  fix: 'Set one of them, or "state" in haft.json.'
}

export const storeFailed = (reason: string): Told => ({
  message: `The store of this project cannot be used: ${reason}`,
  fix: "`haft doctor` looks at it more closely. Nothing was run."
})

export const newerDatabase = (found: number, supported: number): string =>
  `it was made by a later release (version ${found}, this one knows ${supported}). Use that release or a later one`

export const notConfined = (root: string): Told => ({
  message: `Nothing can keep tools inside of ${root} on this machine.`,
  fix: "Mount /proc, which shows open descriptors."
})

export const noSearch = (reason: "NoEngine" | "NotIsolated"): Told => ({
  message:
    reason === "NoEngine"
      ? "There is no ripgrep for this machine, so grep and glob do not work."
      : "The search engine cannot be isolated on this machine.",
  fix: "Install the optional packages of @vscode/ripgrep for your platform."
})

export const noShell = (reason: "NoShell" | "NotIsolated"): Told =>
  reason === "NoShell"
    ? { message: "There is no bash on this machine, so commands cannot run.", fix: "Install bash." }
    : {
        message: "haft.json demands isolated commands, and nothing on this machine can isolate them.",
        fix: 'Install bubblewrap, or set "shell.isolation" to "preferred".'
      }

export const badRules = (faults: string): Told => ({
  message: `The permissions in haft.json do not hold: ${faults}`,
  fix: "In patterns * stands for any text and ? for one character; \\ takes the meaning of the next one away."
})

export const badTool = (message: string): Told => ({
  message: `A tool could not be registered: ${message}`,
  fix: "`haft plugins` shows where each tool comes from."
})

export const unknownTool = (name: string, closest: string | undefined): Told => ({
  message: `There is no tool ${name}.`,
  fix: closest === undefined ? "`haft tools` lists them." : `Did you mean ${closest}? \`haft tools\` lists all.`
})

export const notAnId = (what: string, value: string): Told => ({
  message: `${JSON.stringify(value)} cannot be ${what}.`,
  fix: "An id has at most 256 characters, none of them white space or invisible."
})

export const notAReference = (value: string): Told => ({
  message: `${JSON.stringify(value)} is not a reference to a kept output.`,
  fix: "A reference starts with out_. `haft log` shows those of each call."
})

export const unknownOutput = (ref: string): Told => ({
  message: `No recorded call refers to ${ref}.`,
  fix: "`haft log` shows the calls of this project and what they refer to."
})

export const unavailableOutput = (ref: string, reason: "Unknown" | "Expired" | "Lost"): Told => ({
  message: {
    Unknown: `${ref} was never kept here.`,
    Expired: `${ref} was kept, and has been removed since to make room.`,
    Lost: `${ref} is damaged or its file is gone, and is not shown.`
  }[reason],
  fix: "Make the call again to get its output again."
})

export const badRange = (value: string): Told => ({
  message: `${JSON.stringify(value)} is no range of lines.`,
  fix: "Write --lines 10-20, or --lines 10 for everything from line 10 on. The first line is 1."
})

export const badPattern = (message: string): Told => ({
  message: `The pattern cannot be searched for: ${message}`,
  fix: "Patterns are in the syntax of RE2, without look-around and back-references."
})

export const searchStopped = (limitMs: number): Told => ({
  message: `The search was stopped after ${limitMs} ms; what it found before that is above.`,
  fix: "Use a pattern that rules out more, or page with --lines."
})

export const unknownCall = (id: string): Told => ({
  message: `There is no recorded call ${id} in this project.`,
  fix: "`haft log` lists the latest ones, `haft log --limit 1000` more of them."
})

export const alreadyThere = (path: string): Told => ({
  message: `${path} is there already, and was left as it is.`,
  fix: "Edit it, or remove it and run `haft init` again."
})

export const noEnvelope = (contract: string): Told => ({
  message: `The contract ${contract} has no words for this outcome.`,
  fix: "Leave out --as, or use --json."
})

export const unreadableInput = (reason: string): Told => ({
  message: `Standard input cannot be read: ${reason}`,
  fix: "Give the arguments as JSON on the command line."
})

export const unsettled = (code: string): Told => ({
  message: `The call could not be settled (${code}), so there is no result.`,
  fix: "`haft log` shows what is recorded of it, and `haft doctor` checks the stores."
})

export const choices = (canSave: boolean): string =>
  `y = yes, once · ${canSave ? "a = always · " : ""}n = no · s = no, and stop · or write what to do instead`

export const changeHeading = "Change"

/** How to answer one of the questions of a model. */
export const answerTo = (
  number: number,
  { custom = true, multiple = false, options }: Pick<Question, "custom" | "multiple" | "options">
): string => {
  const choice = multiple ? "the numbers of options, such as 1,2 · " : "the number of an option · "
  return `Answer ${number}: ${options.length === 0 ? "" : choice}${custom ? "your own words · " : ""}- = leave it to the model`
}

export const overMeanwhile = "This is over. No answer is needed."

/** One line of a running call. */
export const progress = ({ completed, message = "working", total }: Update): string => {
  if (completed === undefined) return message
  return total === undefined ? `${message} (${completed})` : `${message} (${completed} of ${total})`
}

export const noCalls = 'No calls are recorded yet. Try: haft call read \'{"path":"."}\''

/** Advice for the model of a client that has no way to ask, to be handed on to the user. */
export const clientCannotAsk = ({ action, resources }: Permission.Request): string => {
  const [resource = "*"] = resources
  const rule = JSON.stringify({ action, resource: Permission.literal(resource), effect: "allow" })
  return `This client has no way to ask its user. In haft.json, this among the permissions would allow it: ${rule}`
}

/** Fields of the forms that a client shows. */
export const formTitles = {
  answer: "Answer",
  feedback: "What to do instead",
  answerTo: (number: number) => `Answer ${number}`,
  wordsFor: (number: number) => `Answer ${number}, in your own words`
}

export const cannotListen = (port: number, cause: unknown): Told => ({
  message: `Nothing can listen on port ${port}: ${cause instanceof Error ? cause.message : String(cause)}`,
  fix: "Choose another port, or 0 for any that is free."
})

export const badToken = (name: string): Told => ({
  message: `$${name} is no token.`,
  fix: "Use 8 to 4096 visible ASCII characters without a space, or leave it out to get a new one."
})

/** Tells the operator how to reach the server. A new token is shown once, here; one that was given is known. */
export const serving = (url: string, token: { readonly value: string; readonly isNew: boolean } | undefined): string =>
  token === undefined
    ? `Serving MCP on ${url} to whoever can reach it.`
    : `Serving MCP on ${url}\nSend this header: Authorization: Bearer ${token.isNew ? token.value : "$HAFT_TOKEN"}`

export const noPlugins = "There are no plugins. `haft init` writes one to start from."

/** Tells what to do next. */
export const initialized = (files: ReadonlyArray<string>): string =>
  [
    `Wrote ${files.join(" and ")}.`,
    "Next:",
    `  haft call hello '{"name":"you"}'    call the tool of the sample plugin`,
    "  haft serve                          give the tools to an MCP client"
  ].join("\n")

export const badVariable = (reason: string): Told => ({
  message: `A variable of the environment cannot be read: ${reason}`,
  fix: "Set it to a text, or remove it."
})

export const noKey = (variable: string): Told => ({
  message: `haft.json names a model that needs a key, and $${variable} is not set.`,
  fix: `Set ${variable}, or choose another model.`
})

export const noAddress: Told = {
  message: "haft.json names a compatible model, and not where its server is.",
  fix: 'Set "model.baseUrl" in haft.json, or OPENAI_BASE_URL, such as http://127.0.0.1:11434/v1.'
}

export const noModel: Told = {
  message: "There is no model to ask.",
  fix: 'Set ANTHROPIC_API_KEY, OPENAI_API_KEY, or OPENAI_BASE_URL for a local server; or "model" in haft.json.'
}

export const noPrompt: Told = {
  message: "There is nothing to do.",
  fix: 'Say what the model should do: haft run "…". Or name a session to go on with: --session.'
}

export const unreadableScript = (file: string, reason: string): Told => ({
  message: `The script ${file} cannot be read: ${reason}`,
  fix: 'Name a file such as [["Let me look.", { "call": "read", "input": { "path": "." } }], ["Done."]]'
})

export const sessionNamed = (sessionID: string): string => `session ${sessionID}`

/** The last line before the command ends, because somebody wanted it to. */
export const cutOff = (sessionID: string): string =>
  `\nCut off. Its history is in order; go on with: haft run --session ${sessionID}`

export const recovered = (names: ReadonlyArray<string>): string =>
  `An earlier run was cut off. ${names.length} of its calls were brought to an end, and none ran again: ${names.join(", ")}`

export const retrying = (reason: string, delayMs: number): string => `${reason} Trying again in ${delayMs} ms.`

export const runFailed = (reason: string): Told => ({
  message: `The session could not go on: ${reason}`,
  fix: "Its history is in order. Name it with --session to go on with it."
})

export const concluded = (reason: string, steps: number, calls: number, tokens: number): string =>
  `${reason} after ${steps} turns and ${calls} calls${tokens === 0 ? "" : `, ${tokens} tokens`}`

export const demoIn = (root: string): string => `A sample project is in ${root}. Here is what a model does with it:\n`

export const demoKept = (database: string): string => `\nEverything is on record in ${database}`

/** Tells the operator how to reach a server of a contract. */
export const servingContract = (
  contract: string,
  url: string,
  token: { readonly value: string; readonly isNew: boolean } | undefined
): string =>
  token === undefined
    ? `Serving ${contract} on ${url} to whoever can reach it.`
    : `Serving ${contract} on ${url}\nSend this header: Authorization: Bearer ${token.isNew ? token.value : "$HAFT_TOKEN"}`

/** Tells the operator how somebody decides. */
export const servingApprovals = (
  url: string,
  approver: string,
  { isNew, value }: { readonly value: string; readonly isNew: boolean }
): string =>
  `What needs an approval waits at ${url} for ${approver}, and in \`haft approvals\`.\n` +
  `To decide, send this header: Authorization: Bearer ${isNew ? value : "$HAFT_APPROVER_TOKEN"}`

export const noApprovals = "Nothing waits for an approval."

export const approvalHead = (id: string, expiresAt: string): string => `${id}, until ${expiresAt}`

export const decided = (id: string, phase: string): string => `${id}: ${phase}`

export const unknownApproval = (id: string): Told => ({
  message: `There is no approval ${id}.`,
  fix: "`haft approvals` shows what waits."
})

export const endedApproval = (id: string, as: string): Told => ({
  message: `The approval ${id} was over before: ${as}. Nothing has changed.`
})

export const withContractOnly = (flag: string): Told => ({
  message: `${flag} is for servers of a contract.`,
  fix: "Name one with --contract."
})

export const sameTokens: Told = {
  message: "$HAFT_APPROVER_TOKEN is the token of the callers: they could approve what they call.",
  fix: "Use another one, or leave it out to get a new one."
}

export const described = (url: string): string => `It is described at ${url}`

export const shortToken = (name: string, minLength: number): Told => ({
  message: `$${name} is too short for a server of a contract.`,
  fix: `Use at least ${minLength} visible ASCII characters without a space, or leave it out to get a new one.`
})

export const noManifests = (directory: string): Told => ({
  message: `There is no manifest below ${directory}.`,
  fix: "`haft manifest --write <directory>` writes one for each tool."
})

export const badManifest = (file: string, message: string, faults: ReadonlyArray<string>): Told => ({
  message: [`${file}: ${message}`, ...faults].join("\n"),
  fix: "Mend it, or have it written anew with `haft manifest --write <directory> --replace`."
})

export const changedTool = (file: string): Told => ({
  message: `The tool has changed since ${file} was written.`,
  fix: "Give the tool a new version and write its manifest anew with --replace."
})

export const sameIds = (ids: ReadonlyArray<string>): Told => ({
  message: `More than one tool would have the id ${ids.join(", ")}.`,
  fix: "Names of tools must differ in more than upper and lower case."
})

export const keptManifests = (count: number): string =>
  `${count} ${count === 1 ? "manifest was" : "manifests were"} there and stayed.`
