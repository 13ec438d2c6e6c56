/** Makes the inside of a tool from options that no compiler may have seen. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Refusal } from "./refusal.ts"
import type { Sealed } from "./sealed.ts"
import * as Sentences from "./registrationSentences.ts"

/** Many times what any provider accepts: what is longer was not written for a model. */
const maxDescriptionLength = 16_384

/** Whatever goes wrong, reading the options included, becomes the reason why the tool cannot be registered. */
export const fromOptions = <O extends object>(
  options: O,
  make: (options: O) => Result.Result<Sealed, Refusal>
): Result.Result<Sealed, Refusal> => {
  try {
    const fault = faultOf(options)
    return fault === undefined ? make(options) : Result.fail(Sentences.invalidOptions(fault))
  } catch (cause) {
    return Result.fail(Sentences.invalidOptions(Sentences.messageOf(cause)))
  }
}

/** An author can only lower what a host repairs. */
const levels: ReadonlySet<unknown> = new Set([undefined, "strict", "contract"])

const faultOf = (options: unknown): string | undefined => {
  if (typeof options !== "object" || options === null) return "they are no object"
  const field = (name: string): unknown => Reflect.get(options, name)
  const description = field("description")
  if (typeof description !== "string") return "description must be text"
  if (description.length > maxDescriptionLength) return `description is longer than ${maxDescriptionLength} characters`
  if (typeof field("execute") !== "function") return "execute must be a function"
  if (!["undefined", "function"].includes(typeof field("toModelOutput"))) return "toModelOutput must be a function"
  if (!levels.has(field("repair"))) return 'repair must be "strict" or "contract"'
  const codec = ["input", "output"].find((name) => name in options && !Schema.isSchema(field(name)))
  return codec === undefined ? undefined : `${codec} must be a schema`
}
