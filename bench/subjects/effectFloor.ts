/** Decode, execute and encode in one fiber, and nothing else: the least that validating both ways can cost on Effect. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { effectOf, Pair, Sum } from "../effectWorks.ts"
import type { Subject } from "../subject.ts"
import { sumOf } from "../works.ts"

const strict = { onExcessProperty: "error" } as const
const decode = Schema.decodeUnknownEffect(Schema.toCodecJson(Pair), strict)
const encode = Schema.encodeUnknownEffect(Schema.toCodecJson(Sum), strict)

export const subject: Subject = {
  offer: async (works) => {
    const executors = new Map(works.map(({ kind, name }) => [name, effectOf(kind)]))
    return {
      calls: {
        manner: "effect",
        call: Effect.fnUntraced(function* (name, input: unknown) {
          const execute = executors.get(name)
          if (execute === undefined) return Number.NaN
          const output = yield* encode(yield* execute(yield* decode(input)))
          return sumOf(output)
        })
      },
      definitions: async () => [],
      read: async () => "",
      close: async () => {}
    }
  }
}
