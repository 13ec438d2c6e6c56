/** Every sentence of this package that a model reads, or the person who runs one. */
import type { SideEffect } from "@haft/core/SideEffect"
import type * as Message from "../Message.ts"
import type * as Model from "../Model.ts"

/** Begins every text that stands where a tool's result would. */
export const notAResult = "[This is not a result of the tool.]"

/** What a model reads in place of a result, with what may have happened by then. */
export const synthetic = ({ effect, message, reason }: Message.Synthetic): string =>
  `${notAResult} ${message ?? because[reason]}${consequence(effect._tag, reason)}`

const because: Readonly<Record<Message.Reason, string>> = {
  Interrupted: "The call was interrupted.",
  Died: "The tool broke while it ran, and that is no fault of the call.",
  Operational: "The call could not be completed, and that is no fault of the call.",
  Unfinished: "The program stopped while the call ran.",
  NotRun: "The call did not run, because the run was stopped first. Make it again if it is still wanted.",
  CutOff: "The answer was cut off, so none of its calls ran. Make the call again, in a shorter answer.",
  DuplicateCall: "Another call of the same answer has the same id, so this one did not run. Make it again.",
  TooManyCalls: "There were too many calls, so this one did not run. Make fewer at a time.",
  Repeated: "The same call was made again and again, so it did not run this time. Do something else.",
  Stopped: "A person ended the turn, so the call did not run.",
  Rejected: "The call was rejected."
}

/** Nothing is said about calls that never ran: their reason says it. */
const consequence = (effect: SideEffect["_tag"], reason: Message.Reason): string => {
  if (effect === "Unknown") return " It may or may not have taken effect: look before you repeat it."
  if (effect === "Committed") return " It has taken effect: do not repeat it."
  const ran = reason === "Interrupted" || reason === "Died" || reason === "Operational" || reason === "Unfinished"
  return ran ? " It has changed nothing." : ""
}

/** In place of a settlement that the store does not have any more. */
export const lost = `${notAResult} What the call returned is not on record any more.`

/** In place of content that is none: providers refuse blank text. */
export const blank = "[The tool returned no text.]"

/** In place of media that a provider takes in no form. */
export const media = (mimeType: string, name: string | undefined, bytes: number): string =>
  `[${name === undefined ? "" : `${name}, `}${mimeType}, ${bytes} bytes: this model cannot be shown it.]`

/** The description of a tool that a conversation refers to and that is not offered any more. */
export const retired = "No longer offered. Do not call it."

/** For the host. */
export const warnings = {
  CallIdReplaced: "A call had an id that cannot be kept, and got another one.",
  CallDropped: "A call came twice under one id, and counts once.",
  CallRepeated: (name: string, count: number): string =>
    `${name} was called ${count} times in a row with the same arguments.`,
  CallTrouble: (tag: string): string => `A call ended without a result (${tag}).`,
  EmptyAnswer: "The model said nothing."
}

/** For the host, by what went wrong with a model. */
export const modelErrors: Readonly<Record<Model.Reason, string>> = {
  Unauthorized: "The provider refused the key. Check that it is set, valid and allowed to use this model.",
  OutOfQuota: "The account has nothing left to spend. Add credit, or use another key.",
  RateLimited: "The provider has had too many requests.",
  Overloaded: "The provider is overloaded.",
  TooLong: "The conversation is longer than the model can read. Begin a new session, or use a model that reads more.",
  InvalidRequest: "The provider refused the request.",
  ServerError: "The provider failed.",
  Unreachable: "The provider could not be reached. Check the address and the network.",
  Stalled: "The provider sent nothing for too long.",
  CutOff: "The answer ended before it was complete.",
  Malformed: "The provider sent something that could not be read."
}

export const blankPrompt = "The prompt is blank. Say something, or leave it out to go on where the session stands."

export const sessionBusy = "The session is running already. Wait for that run to end, or interrupt it."
