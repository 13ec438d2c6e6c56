/** Gives every call of an answer an id that is its own for ever, before anything is written down or run. */
import type * as ToolCall from "@haft/core/ToolCall"
import type { WarningCode } from "../Event.ts"
import type * as Message from "../Message.ts"
import type * as Model from "../Model.ts"
import { callID, isKeepable } from "./identifiers.ts"
import * as Sentences from "./sentences.ts"

type ModelCall = Extract<Model.Part, { readonly _tag: "Call" }>

/** The longest name that says something: the grammar of names ends at 64. What is cut was no name. */
const maxNameLength = 100

export class Admission {
  /** Calls that keep their place in the conversation and are not run. */
  readonly refused = new Map<ToolCall.ID, Message.Reason>()
  readonly warnings: Array<{ readonly code: WarningCode; readonly message: string }> = []
  private readonly byID = new Map<string, ModelCall>()
  private readonly used: Set<string>

  /** `used` are the ids of the session so far, to which those of this answer are added. */
  constructor(used: Set<string>) {
    this.used = used
  }

  /** Nothing if the call is one that came before, word for word: a stream that repeats itself must not act twice. */
  admit(call: ModelCall): Message.Call | undefined {
    const { id } = call
    const twin = id === "" ? undefined : this.byID.get(id)
    if (twin !== undefined && twin.name === call.name && twin.input === call.input) {
      this.warnings.push({ code: "CallDropped", message: Sentences.warnings.CallDropped })
      return undefined
    }
    const admitted = { _tag: "Call", id: this.idFor(id), name: shown(call.name), input: call.input } as const
    if (twin !== undefined) this.refused.set(admitted.id, "DuplicateCall")
    if (id !== "" && twin === undefined) this.byID.set(id, call)
    return admitted
  }

  private idFor(id: string): ToolCall.ID {
    const isKept = isKeepable(id) && !this.used.has(id)
    const own = isKept ? id : callID()
    if (!isKept) this.warnings.push({ code: "CallIdReplaced", message: Sentences.warnings.CallIdReplaced })
    this.used.add(own)
    return own
  }
}

const shown = (name: string): string =>
  name.length <= maxNameLength ? name : `${name.slice(0, maxNameLength).toWellFormed()}…`
