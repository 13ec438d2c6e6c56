/** An answer while it comes in. */
import type * as Message from "../Message.ts"
import type * as Model from "../Model.ts"
import type { Admission } from "./admission.ts"

type Finish = Extract<Model.Part, { readonly _tag: "Finish" }>
type Piece = Exclude<Message.Part, { readonly _tag: "Call" }> | Extract<Model.Part, { readonly _tag: "Call" }>

/** Texts that follow each other are one, however they were cut. */
export class Draft {
  finish: Finish | undefined
  private pieces: Array<Piece> = []
  private texts: Array<string> = []
  private readonly provider: string

  constructor(provider: string) {
    this.provider = provider
  }

  /** The request is made again. */
  reset(): void {
    this.finish = undefined
    this.pieces = []
    this.texts = []
  }

  take(part: Model.Part): void {
    if (part._tag === "TextDelta") return void this.texts.push(part.text)
    if (part._tag === "ReasoningDelta") return
    this.endText()
    if (part._tag === "Finish") this.finish = part
    else this.pieces.push(part._tag === "Call" ? part : { ...part, provider: this.provider })
  }

  /** What was said, for an answer that will never be complete: half a thought or half a call is of no use to anybody. */
  get spoken(): ReadonlyArray<Message.Part> {
    this.endText()
    return this.pieces.filter((piece) => piece._tag === "Text")
  }

  /** Everything, with calls under ids that can be kept. */
  admitted(admission: Admission): ReadonlyArray<Message.Part> {
    this.endText()
    return this.pieces.flatMap((piece) => (piece._tag === "Call" ? (admission.admit(piece) ?? []) : piece))
  }

  private endText(): void {
    const text = this.texts.join("")
    this.texts = []
    if (text.trim() !== "") this.pieces.push({ _tag: "Text", text })
  }
}
