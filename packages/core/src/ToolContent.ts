/** What a model reads of a result: text, and media in its native form. */
import * as Schema from "effect/Schema"

/** RFC 6838 allows 127 characters on each side of the slash. */
const mimeType = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/

/** One part. Media is bytes here and base64 where it is stored; it never becomes text for the model. */
export const ToolContent = Schema.TaggedUnion({
  Text: { text: Schema.String },
  Media: {
    mimeType: Schema.String.check(Schema.isPattern(mimeType, { expected: "a lower-case mime type such as image/png" })),
    data: Schema.Uint8ArrayFromBase64,
    name: Schema.optionalKey(Schema.String)
  }
})

export type ToolContent = typeof ToolContent.Type

/** A part that is text. */
export type Text = typeof ToolContent.cases.Text.Type
/** A part that is bytes of a known type. */
export type Media = typeof ToolContent.cases.Media.Type

/** Text as the model should read it. */
export const text = (text: string): Text => ({ _tag: "Text", text })

/** An image, a document or a recording. Throws on something that is no mime type: the projection is at fault. */
export const media = (part: Omit<Media, "_tag">): Media => ToolContent.cases.Media.make(part)
