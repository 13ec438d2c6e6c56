/** A running session as a person sees it at the terminal: what the model says, and what becomes of every call. */
import * as Settlement from "@haft/core/Settlement"
import * as Display from "@haft/policy/Display"
import type { Conclusion } from "@haft/runner/Conclusion"
import type { Event } from "@haft/runner/Event"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Sentences from "./sentences.ts"

/** What the model says goes to standard output, and everything about its calls to standard error. */
export const watch = Effect.fnUntraced(function* (event: Event) {
  const stdio = yield* Stdio.Stdio
  const out = (text: string) => Stream.run(Stream.succeed(text), stdio.stdout())
  switch (event._tag) {
    case "TextDelta":
      return yield* out(event.text)
    case "Answered":
      return yield* out("\n")
    case "CallStarted":
      return yield* Console.error(`→ ${event.call.name} ${shortened(event.call.input)}`)
    case "CallProgress":
      return yield* Console.error(`  ${Display.visible(Sentences.progress(event.update))}`)
    case "CallSettled":
      return yield* Console.error(settled(event.settlement))
    case "CallUnsettled":
      return yield* Console.error(`✗ ${event.call.name}: ${event.end.reason}`)
    case "Recovered":
      return yield* Console.error(Sentences.recovered(event.calls.map(({ call }) => call.name)))
    case "Warning":
      return yield* Console.error(`! ${Display.visible(event.message)}`)
    case "Retrying":
      return yield* Console.error(Sentences.retrying(event.error.message, event.delayMs))
    default:
      return
  }
})

const settled = (settlement: Settlement.Settlement): string => {
  const { endedAt, startedAt } = settlement.timing
  const took = `${Math.round(endedAt - startedAt)} ms`
  const [first] = Settlement.content(settlement)
  const text = first?._tag === "Text" ? shortened(first.text) : ""
  return `${settlement._tag === "Succeeded" ? "✓" : "✗"} ${settlement.name} (${took}) ${text}`.trimEnd()
}

/** The end of a session in one line. */
export const concluded = ({ calls, reason, steps, usage }: Conclusion): string =>
  Sentences.concluded(reason, steps, calls, usage.input + usage.output)

const maxShown = 100

/** An output can be large, and its beginning is enough. */
const maxRead = 1000

/** On one line, with white space as spaces and nothing hidden in it. */
const shortened = (text: string): string => {
  const line = Display.visible(
    text
      .slice(0, maxRead)
      .trim()
      .replaceAll(/\s+/g, " ")
      .slice(0, maxShown + 1)
  )
  return line.length > maxShown ? `${line.slice(0, maxShown)}…` : line
}
