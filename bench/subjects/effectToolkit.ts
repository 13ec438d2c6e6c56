/** Effect's own toolkit: a handler for each tool, called by name, whose results come as a stream. */
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { effectOf, inputOf, Sum } from "../effectWorks.ts"
import type { Offered, Subject } from "../subject.ts"
import { description, type Input, sumOf, type Work } from "../works.ts"

const toolOf = ({ kind, name }: Work) =>
  Tool.make(name, {
    description,
    parameters: inputOf(kind),
    success: kind === "large" ? Schema.String : Sum
  })

/** With which a toolkit can be called by any name. */
interface Handled {
  readonly handle: (
    name: string,
    input: unknown
  ) => Effect.Effect<Stream.Stream<{ readonly encodedResult: unknown }, unknown>, unknown>
}

const make = (works: ReadonlyArray<Work>) => {
  const toolkit = Toolkit.make(...works.map(toolOf))
  const handlers = Object.fromEntries(works.map(({ kind, name }) => [name, effectOf(kind)]))
  const handled = toolkit.pipe(Effect.provide(toolkit.toLayer(handlers as never)))
  return { tools: Object.values(toolkit.tools), handled: handled as unknown as Effect.Effect<Handled> }
}

export const subject: Subject = {
  offer: async (works) => {
    const { handled, tools } = make(works)
    const { handle } = await Effect.runPromise(handled)
    const call = (name: string, input: Input) =>
      Effect.flatMap(handle(name, input), (results) =>
        Effect.map(Stream.runCollect(results), (collected) => collected.at(-1)?.encodedResult)
      )
    const offered: Offered = {
      calls: { manner: "effect", call: (name, input) => Effect.map(call(name, input), sumOf) },
      definitions: async () => tools.map((tool) => ({ name: tool.name, parameters: Tool.getJsonSchema(tool) })),
      read: (name, input) => Effect.runPromise(Effect.map(call(name, input), String)),
      close: async () => {}
    }
    return offered
  }
}
