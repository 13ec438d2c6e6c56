import { assert, describe, it } from "@effect/vitest"
import { Tool, ToolName } from "@haft/core"
import * as Runtime from "@haft/core/runtime"
import { Arbitrary, Effect, Result, Schema } from "effect"
import * as Overlay from "../src/internal/overlay.ts"

/** Few, so that registrations meet. One is a key of every object. */
const names = ["a", "b", "constructor"].map((name) => ToolName.ToolName.make(name))

const tool = Tool.make({
  description: "",
  input: Schema.Struct({}),
  output: Schema.Null,
  execute: () => Effect.succeed(null)
})

const entryOf = (name: string): Overlay.Entry => ({ runtime: Result.getOrThrow(Runtime.open(name, tool)) })

/** Registers a set of names, or ends the registration that came at this place, as often as it is said. */
const Step = Schema.Union([
  Schema.Struct({ register: Schema.Tuple([Schema.Boolean, Schema.Boolean, Schema.Boolean]) }),
  Schema.Struct({ close: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 })) })
])

const count = 20

const steps = Arbitrary.array(Arbitrary.schema(Step), { minLength: count, maxLength: count })

/** What an overlay stands for: registrations in the order in which they came. */
type Model = ReadonlyArray<ReadonlyArray<Overlay.Entry>>

const winnerIn = (model: Model, name: string): Overlay.Entry | undefined =>
  model.flat().findLast((entry) => Overlay.definitionOf(entry).name === name)

const assertSame = (overlay: Overlay.Overlay, model: Model) => {
  for (const name of names) assert.strictEqual(Overlay.winner(overlay, name), winnerIn(model, name))
  assert.deepStrictEqual(
    [...overlay.keys()].toSorted(),
    names.filter((name) => winnerIn(model, name) !== undefined).toSorted()
  )
}

interface State {
  readonly overlay: Overlay.Overlay
  readonly model: Model
}

/** Every state on the way. */
const history = (steps: ReadonlyArray<typeof Step.Type>) => {
  const registrations: Array<ReadonlyArray<Overlay.Entry>> = []
  let state: State = { overlay: Overlay.empty, model: [] }
  const states = [state]
  for (const step of steps) {
    state = "register" in step ? register(state, step.register) : close(state, registrations[step.close] ?? [])
    if ("register" in step) registrations.push(state.model.at(-1) ?? [])
    states.push(state)
  }
  return { registrations, states }
}

const register = ({ model, overlay }: State, has: ReadonlyArray<boolean>): State => {
  const entries = names.filter((_, index) => has[index]).map(entryOf)
  return { overlay: Overlay.push(overlay, entries), model: [...model, entries] }
}

const close = ({ model, overlay }: State, entries: ReadonlyArray<Overlay.Entry>): State => ({
  overlay: Overlay.remove(overlay, entries),
  model: model.filter((other) => other !== entries)
})

const holds = Effect.fnUntraced(function* (property: (steps: ReadonlyArray<typeof Step.Type>) => void) {
  const checked = (steps: ReadonlyArray<typeof Step.Type>) =>
    Effect.sync(() => {
      property(steps)
      return true
    })
  const result = yield* Arbitrary.checkEffect(steps, checked, { runs: 1000 })
  assert.strictEqual(result._tag, "Passed", Arbitrary.formatCheckFailure(result))
})

describe("an overlay", () => {
  it.effect("has the winners of a list of registrations, after any steps", () =>
    holds((steps) => history(steps).states.forEach(({ model, overlay }) => assertSame(overlay, model)))
  )

  it.effect("is never changed by a later step", () =>
    holds((steps) => {
      const { states } = history(steps)
      for (const { model, overlay } of states.toReversed()) assertSame(overlay, model)
      assert.strictEqual(Overlay.empty.size, 0)
    })
  )

  it.effect("is empty once every registration has been closed, in any order", () =>
    holds((steps) => {
      const { registrations, states } = history(steps)
      const last = states.at(-1)?.overlay ?? Overlay.empty
      for (const order of [registrations, registrations.toReversed()]) {
        assert.strictEqual(order.reduce(Overlay.remove, last).size, 0)
      }
    })
  )
})
