/** Parse, execute and parse, and nothing else: the least that validating both ways can cost with zod. */
import type { Subject } from "../subject.ts"
import { run, sumOf } from "../works.ts"
import { Pair, Total } from "../zodWorks.ts"

export const subject: Subject = {
  offer: async (works) => {
    const executors = new Map(works.map(({ kind, name }) => [name, run(kind)]))
    return {
      calls: {
        manner: "promise",
        call: async (name, input) => {
          const execute = executors.get(name)
          return sumOf(Total.parse(await execute?.(Pair.parse(input))))
        }
      },
      definitions: async () => [],
      read: async () => "",
      close: async () => {}
    }
  }
}
