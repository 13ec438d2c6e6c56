import { assert, describe, it } from "@effect/vitest"
import { Location } from "@haft/core"
import { Approval, PolicyStore } from "@haft/policy"
import * as Conformance from "@haft/policy/conformance"
import { Effect, Exit, Layer, Option } from "effect"
import { conformance } from "./support/policyStore.ts"

conformance("layerMemory", Effect.succeed(PolicyStore.layerMemory))

/** The store in memory with one mistake. */
const broken = (mistake: (store: PolicyStore.Interface) => Partial<PolicyStore.Interface>) =>
  Layer.effect(
    PolicyStore.Service,
    Effect.map(PolicyStore.Service, (store) => ({ ...store, ...mistake(store) }))
  ).pipe(Layer.provide(PolicyStore.layerMemory))

const onlyLocation = Location.Ref.make("/here")
const anotherID = Approval.ID.make("apr_ffffffff-0000-4000-8000-000000000000")

const mistakes: Readonly<Record<string, ReturnType<typeof broken>>> = {
  "lets the last decision stand": broken((store) => ({
    decide: (key, decision, save) =>
      Effect.flatMap(store.take(key), (taken) =>
        Option.isNone(taken)
          ? Effect.succeedNone
          : Effect.andThen(store.add({ ...taken.value, decision }), store.decide(key, decision, save))
      )
  })),
  "saves rules of decisions that do not stand": broken((store) => ({
    decide: (key, decision, save) =>
      Effect.tap(store.decide(key, decision, []), (decided) => {
        if (Option.isNone(decided)) return Effect.void
        const { decision: _, ...undecided } = decided.value.approval
        const another = { ...undecided, id: anotherID }
        return Effect.all([store.add(another), store.decide(another, decision, save), store.take(another)])
      })
  })),
  "gives an approval to everybody who takes it": broken((store) => ({
    take: (key) =>
      Effect.map(store.read(key.location), ({ approvals }) =>
        Option.fromUndefinedOr(approvals.find(({ id }) => id === key.id))
      )
  })),
  "knows one Location only": broken((store) => ({ read: () => store.read(onlyLocation) })),
  "forgets nothing": broken(() => ({ forget: () => Effect.void })),
  "keeps nothing": broken(() => ({ add: () => Effect.void }))
}

describe("the suite of the policy store", () => {
  for (const [mistake, layer] of Object.entries(mistakes)) {
    it.effect(`catches a store that ${mistake}`, () =>
      Effect.gen(function* () {
        const exits = yield* Effect.forEach(Conformance.policyStore, ({ effect }) =>
          Effect.exit(Effect.provide(effect, layer))
        )
        assert.isTrue(exits.some(Exit.isFailure))
        assert.isTrue(exits.some(Exit.isSuccess))
      })
    )
  }
})
