/** Every sentence of this package that a model, or whoever reads an outcome, gets to see. */

export const noGate = "The call needs an approval, and nobody is there to give one"

export const chainBroken = "The chain of principals does not belong to the run"

export const otherRun = "The call names another run or tenant than the one it is made for"

export const otherIdentity = "The call claims another identity than its sender has proved"

export const keyTooLong = (max: number): string => `at most ${max} characters`

export const unverified = "The identity of the agent could not be verified"

export const aboveHighest = "The call asks for more than its tool declares"

export const toolBlocked = (tool: string): string => `A policy blocks ${tool} for this agent`

export const operationForbidden = (tool: string, operation: string): string =>
  `A rule forbids ${tool}, which works in the class ${operation}`

export const operationNeedsApproval = (tool: string, operation: string): string =>
  `${tool} works in the class ${operation}, which somebody has to approve`

export const rolesMissing = (roles: ReadonlyArray<string>): string =>
  `The agent has roles that nobody has defined: ${roles.join(", ")}`

export const permissionsMissing = (permissions: ReadonlyArray<string>, match: "all" | "any"): string =>
  match === "any"
    ? `The agent has none of the permissions ${permissions.join(", ")}`
    : `The agent lacks the permissions ${permissions.join(", ")}`

export const delegationRequired = "Nobody has delegated this to the agent"

export const destructive = "The call may destroy what nobody can bring back"

export const aboveSafetyMode = (mode: string, safety: string): string =>
  `The call works in mode ${mode}, and its run in ${safety}`

export const budgetUsedUp = (name: string, limit: number, used: number): string =>
  `The budget ${name} of the run is used up: ${used} of ${limit}`

export const timeoutTooLong = (max: number): string => `at most ${max} ms, which the tool's manifest allows`

export const timedOut = (limitMs: number): string => `Time ran out before the tool was called, after ${limitMs} ms`

export const abandoned = "The call was running when its process ended, and nobody knows how far it came"

const tokenStates = {
  unknown: "There is nothing prepared under this token",
  committing: "It is being committed, or a process ended while it was",
  committed: "It has been committed already",
  rolled_back: "It has been rolled back"
} as const

export const tokenState = (state: keyof typeof tokenStates): string => tokenStates[state]
