/** Texts and values of every awkward kind, large enough to be cut. */
import { Arbitrary, Schema } from "effect"

const atoms = [
  "a",
  "word ",
  "é",
  "…",
  "😀",
  "\ud83d",
  "\ude00",
  "\n",
  "\r\n",
  "\r",
  "\t",
  '"',
  "\\",
  "\u0000",
  "\ufeff"
]

const count = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 1, maximum }))

const run = Arbitrary.map(
  Arbitrary.schema(Schema.Struct({ atom: Schema.Literals(atoms), times: count(300) })),
  ({ atom, times }) => atom.repeat(times)
)

/** Runs of one kind of character, with what is awkward about neighbours where they meet. */
export const text: Arbitrary.Arbitrary<string> = Arbitrary.map(Arbitrary.array(run, { maxLength: 12 }), (runs) =>
  runs.join("")
)

/** From what is too small for anything to what is too large for most of what is made here. */
export const limits = Arbitrary.schema(Schema.Struct({ bytes: count(4_000), lines: count(300) }))

/** Grown, so that some of it is too large. */
export const json: Arbitrary.Arbitrary<Schema.Json> = Arbitrary.map(
  Arbitrary.all([Arbitrary.schema(Schema.Json), text, Arbitrary.schema(count(200))]),
  ([value, text, times]) => ({
    value,
    list: Array.from({ length: times }, (_, index) => ({ index, value })),
    nested: [[[[{ text }]]]],
    [text.slice(0, 40)]: text
  })
)
