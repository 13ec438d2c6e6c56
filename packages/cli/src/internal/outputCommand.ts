/** `haft output`: the complete output that a call left in managed storage, or a part of it. */
import * as ManagedOutput from "@haft/core/ManagedOutput"
import * as OutputStore from "@haft/core/OutputStore"
import type * as Session from "@haft/core/Session"
import * as RegistrySql from "@haft/registry/sql"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { OperationalError, UsageError } from "./faults.ts"
import { haft, withStores } from "./haft.ts"
import * as Sentences from "./sentences.ts"

const ref = Argument.String("reference").pipe(Argument.withDescription("The reference, which starts with out_"))

const range = Flag.String("lines").pipe(
  Flag.withDescription("Only these lines: 10-20, or 10 for everything from line 10 on"),
  Flag.optional
)

const search = Flag.String("search").pipe(
  Flag.withDescription("Only lines that match this regular expression, with their numbers"),
  Flag.optional
)

export const output = Command.make(
  "output",
  { ref, range, search },
  Effect.fnUntraced(function* ({ range, ref, search }) {
    const wanted = yield* Effect.fromResult(Schema.decodeResult(ManagedOutput.Ref)(ref)).pipe(
      Effect.mapError(() => new UsageError(Sentences.notAReference(ref)))
    )
    const part = Option.isSome(range) ? yield* rangeOf(range.value) : everything
    yield* withStores(
      Effect.gen(function* () {
        const sessionID = yield* sessionOf(wanted)
        return yield* Option.isSome(search)
          ? showMatches(sessionID, wanted, search.value)
          : show(sessionID, wanted, part)
      })
    )
  })
).pipe(
  Command.withDescription("Print a kept output"),
  Command.withExamples([
    { command: "haft output out_AbC… > all.txt", description: "All of it, byte for byte" },
    { command: "haft output out_AbC… --lines 100-120", description: "A few lines" },
    { command: "haft output out_AbC… --search 'error|warning'", description: "The lines that match" }
  ])
)

const everything = OutputStore.bytes(0, Number.MAX_SAFE_INTEGER)

const rangeOf = (text: string): Effect.Effect<OutputStore.Range, UsageError> => {
  const [, from = "", to] = /^([1-9]\d{0,14})(?:-([1-9]\d{0,14}))?$/.exec(text) ?? []
  const first = Number(from)
  const last = to === undefined ? Number.MAX_SAFE_INTEGER : Number(to)
  if (first === 0 || last < first) return Effect.fail(new UsageError(Sentences.badRange(text)))
  return Effect.succeed(OutputStore.lines(first, last - first + 1))
}

/** The person at the terminal owns the project, so whichever session an output belongs to, it may be seen. */
const sessionOf = Effect.fnUntraced(function* (ref: ManagedOutput.Ref) {
  const [record] = yield* RegistrySql.log({ limit: 1, managed: ref })
  if (record === undefined) return yield* new UsageError(Sentences.unknownOutput(ref))
  return record.begun.context.sessionID
})

const show = Effect.fnUntraced(function* (sessionID: Session.ID, ref: ManagedOutput.Ref, range: OutputStore.Range) {
  const store = yield* OutputStore.Service
  const stdio = yield* Stdio.Stdio
  const opened = yield* store.open(sessionID, ref, range).pipe(Effect.catchTags(unavailable(ref)))
  const { json } = yield* haft
  yield* json ? showLines(opened.content, range) : Stream.run(opened.content, stdio.stdout())
}, Effect.scoped)

/** One object on a line, as for matches, so that a program need not hold all of it. */
const showLines = <E, R>(content: Stream.Stream<Uint8Array, E, R>, range: OutputStore.Range) => {
  const first = range._tag === "Lines" ? range.first : 1
  return content.pipe(
    Stream.decodeText,
    Stream.splitLines,
    Stream.zipWithIndex,
    Stream.runForEach(([text, index]) => Console.log(JSON.stringify({ line: first + index, text })))
  )
}

const showMatches = Effect.fnUntraced(function* (sessionID: Session.ID, ref: ManagedOutput.Ref, pattern: string) {
  const store = yield* OutputStore.Service
  const { json } = yield* haft
  const shown = (match: OutputStore.Match) => (json ? JSON.stringify(match) : `${match.line}: ${match.text}`)
  yield* Stream.runForEach(store.search(sessionID, ref, { pattern }), (match) => Console.log(shown(match))).pipe(
    Effect.catchTags({
      ...unavailable(ref),
      "OutputStore.PatternError": ({ message }) => Effect.fail(new UsageError(Sentences.badPattern(message))),
      "OutputStore.SearchStoppedError": ({ limitMs }) =>
        Effect.fail(new OperationalError(Sentences.searchStopped(limitMs)))
    })
  )
})

const unavailable = (ref: ManagedOutput.Ref) => ({
  "OutputStore.UnavailableError": ({ reason }: OutputStore.UnavailableError) =>
    Effect.fail(new UsageError(Sentences.unavailableOutput(ref, reason)))
})
