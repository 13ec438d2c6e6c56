/** Tools that end as they are told to, one for each answer to what calling again would do. */
import * as EffectSignal from "@haft/core/EffectSignal"
import * as Tool from "@haft/core/Tool"
import * as ToolFailure from "@haft/core/ToolFailure"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** What is wanted of a call. */
export const Input = Schema.Struct({
  /** `give`: the output. `fail`: the failure. `throw`: a defect. `hang`: no end. `lie`: an output that is not allowed. */
  end: Schema.Literals(["give", "fail", "throw", "hang", "lie"]),
  output: Schema.optionalKey(Schema.Json),
  /** As JSON. */
  failure: Schema.optionalKey(Schema.JsonObject),
  /** Before it ends. */
  effect: Schema.optionalKey(Schema.Literals(["starting", "committed"])),
  mutations: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({ kind: Schema.String, target: Schema.String, bytes: Schema.optionalKey(Schema.Finite) })
    )
  )
})
export type Input = typeof Input.Type

/** What a tool never gives, because its output forbids it. */
const forbidden = "this output is not allowed"

const Output = Schema.Json.check(
  Schema.makeFilter((value: Schema.Json) => value !== forbidden || "may be anything but that", {
    identifier: "conformance"
  })
)

const decodeFailure = Schema.decodeUnknownEffect(Schema.toCodecJson(ToolFailure.ToolFailure))

const execute = Effect.fnUntraced(function* ({ effect, end, failure, mutations = [], output = null }: Input) {
  const signal = yield* EffectSignal.Service
  if (effect !== undefined) yield* signal.starting
  if (effect === "committed") yield* signal.committed(mutations)
  switch (end) {
    case "give":
      return output
    case "lie":
      return forbidden
    case "hang":
      return yield* Effect.never
    case "throw":
      return yield* Effect.die(new Error("as it was told to"))
    case "fail":
      // Whoever asks for a failure that there is not has asked for a defect.
      return yield* Effect.flatMap(Effect.orDie(decodeFailure({ _tag: "ToolFailure", ...failure })), Effect.fail)
  }
})

const make = (determinism: NonNullable<Tool.Annotations["determinism"]>): Tool.Any =>
  Tool.annotate(
    Tool.make({
      description: "Ends as it is told to, for whoever tests a server",
      input: Input,
      output: Output,
      execute
    }),
    { determinism, version: "1.0.0" }
  )

export const conformanceTools: Readonly<Record<string, Tool.Any>> = {
  conformance_pure: make("pure"),
  conformance_idempotent: make("idempotent"),
  conformance_side_effectful: make("side_effectful")
}
