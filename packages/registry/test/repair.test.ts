import { assert, describe, it } from "@effect/vitest"
import { type ArgumentRepair, Invocation, type Settlement, Tool, ToolFailure } from "@haft/core"
import * as Testing from "@haft/registry/testing"
import { Effect, Exit, Option, Schema } from "effect"
import { endOf, offering, recordOf } from "./support/tools.ts"

const Input = Schema.Struct({ path: Schema.String, limit: Schema.optionalKey(Schema.Int) })

/** Returns its input, and the fingerprint that an approval of the call would be bound to. */
const read = Tool.make({
  description: "Read",
  input: Input,
  output: Schema.Struct({ input: Input, shown: Schema.JsonObject, fingerprint: Schema.String }),
  execute: Effect.fnUntraced(function* (input) {
    if (input.path === "gone") return yield* ToolFailure.notFound({ message: "gone" })
    const invocation = Option.getOrThrow(yield* Invocation.Service)
    return { input, shown: invocation.input, fingerprint: invocation.inputFingerprint }
  })
})

const structured = (settlement: Settlement.Settlement): unknown =>
  settlement._tag === "Succeeded" ? JSON.parse(JSON.stringify(settlement.output.structured)) : settlement._tag

const codes = ({ warnings }: Settlement.Settlement) => warnings.map(({ code, path }) => [path, code])

describe("arguments that do not fit as they were sent", () => {
  it.effect("are repaired, executed and reported, on success and on failure", () =>
    Effect.gen(function* () {
      const { settle } = yield* offering({ read })
      const settled = yield* settle(Testing.request("read", { Path: "a", limit: "5" }, { id: "1" }))
      assert.deepInclude(structured(settled), { input: { path: "a", limit: 5 }, shown: { path: "a", limit: 5 } })
      const reported = [
        ["path", "key_spelling"],
        ["limit", "number_from_string"]
      ]
      assert.deepStrictEqual(codes(settled), reported)
      const failed = yield* settle(Testing.request("read", { Path: "gone", limit: "5" }, { id: "2" }))
      assert.deepStrictEqual([failed._tag, codes(failed)], ["Failed", reported])
      const rejected = yield* settle(Testing.request("read", { Path: 1, limit: "5" }, { id: "3" }))
      assert.deepStrictEqual([rejected._tag, codes(rejected)], ["Rejected", reported])
      assert(rejected._tag === "Rejected")
      assert.include(rejected.message, "- path: expected string; received number")
      assert.include(rejected.message, 'the text "5" was read as the number 5')
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("are recorded as they were reported, and not repaired again for a repeated call", () =>
    Effect.gen(function* () {
      const { settle } = yield* offering({ read })
      const request = Testing.request("read", '{"path":"a","limit":"5",}', { id: "1" })
      const settled = yield* settle(request)
      assert.deepStrictEqual(yield* endOf("1"), { _tag: "Settled", settlement: settled })
      assert.strictEqual(yield* settle(request), settled)
      assert.strictEqual(settled.warnings.length, 2)
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("bind an approval to what is executed, however it was written", () =>
    Effect.gen(function* () {
      const { settle } = yield* offering({ read })
      const sent = [
        { path: "a", limit: 5 },
        '{"limit": 5, "path": "a"}',
        { path: "a", limit: "5" },
        "{'PATH': 'a', 'limit': 5}",
        { arguments: { path: "a", limit: 5 } }
      ]
      const settlements = yield* Effect.forEach(sent, (input, id) =>
        settle(Testing.request("read", input, { id: `${id}` }))
      )
      const [first, ...others] = settlements.map(structured)
      assert.deepInclude(first, { input: { path: "a", limit: 5 } })
      for (const other of others) assert.deepStrictEqual(other, first)
      const another = structured(yield* settle(Testing.request("read", { path: "a", limit: "6" }, { id: "another" })))
      assert.notDeepEqual(Object(another).fingerprint, Object(first).fingerprint)
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )

  it.effect("are compared as they came when an identity comes again", () =>
    Effect.gen(function* () {
      const { settle } = yield* offering({ read })
      const outcome = (input: unknown, id: string) =>
        Effect.map(settle(Testing.request("read", input, { id })), (settlement) =>
          settlement._tag === "Rejected" ? settlement.rejection._tag : settlement._tag
        )
      assert.strictEqual(yield* outcome({ path: "a", limit: "5" }, "1"), "Succeeded")
      assert.strictEqual(yield* outcome({ path: "a", limit: "5" }, "1"), "Succeeded")
      assert.strictEqual(yield* outcome({ path: "a", limit: 5 }, "1"), "DuplicateCall")
      assert.strictEqual(yield* outcome("{'path': 'a'}", "2"), "Succeeded")
      assert.strictEqual(yield* outcome("{'path': 'a'}", "2"), "Succeeded")
      assert.strictEqual(yield* outcome("{'path': 'b'}", "2"), "DuplicateCall")
      assert.strictEqual(yield* outcome('{"path":"a"}', "3"), "Succeeded")
      assert.strictEqual(yield* outcome({ path: "a" }, "3"), "Succeeded", "plain JSON text is its value")
      assert.strictEqual(yield* outcome("", "4"), "InvalidInput")
      assert.strictEqual(yield* outcome(undefined, "4"), "DuplicateCall")
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )
})

describe("argument text that cannot be read", () => {
  it.effect("rejects its own call with the place, and its siblings go on", () =>
    Effect.gen(function* () {
      const { settle } = yield* offering({ read })
      const inputs = ['{"path":"a"}', '{"path":\n"a"', '{"path": a}', '{"path":"b"}']
      const settlements = yield* Effect.forEach(
        inputs,
        (input, index) => settle(Testing.request("read", input, { id: `${index}` })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        settlements.map(({ _tag }) => _tag),
        ["Succeeded", "Rejected", "Rejected", "Succeeded"]
      )
      const [, cut, odd] = settlements
      assert(cut?._tag === "Rejected" && odd?._tag === "Rejected")
      assert.include(cut.message, "text that ends too early, at line 2, column 4")
      assert.include(odd.message, "text that is not JSON at line 1, column 10")
      assert.isTrue(Option.isSome(yield* recordOf("1")))
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )
})

describe("how much is repaired", () => {
  it.effect("is the turn's to say, and a tool's to lower", () =>
    Effect.gen(function* () {
      const contract = Tool.make({ ...options, repair: "contract" })
      const strict = Tool.make({ ...options, repair: "strict" })
      const tags = Effect.fnUntraced(function* (repair?: "strict" | "contract" | "default") {
        const { settle } = yield* offering(
          { full: Tool.make(options), contract, strict },
          repair === undefined ? {} : { repair }
        )
        return yield* Effect.forEach(["full", "contract", "strict"], (name) =>
          Effect.forEach([{ n: "1" }, { N: 1 }], (input, index) =>
            Effect.map(
              settle(Testing.request(name, input, { id: `${repair}-${name}-${index}` })),
              ({ _tag }) => _tag === "Succeeded"
            )
          )
        )
      })
      const none = [false, false]
      assert.deepStrictEqual(yield* tags(), [[true, true], [true, false], none])
      assert.deepStrictEqual(yield* tags("default"), [[true, true], [true, false], none])
      assert.deepStrictEqual(yield* tags("contract"), [[true, false], [true, false], none])
      assert.deepStrictEqual(yield* tags("strict"), [none, none, none])
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )
})

describe("a level that nobody knows", () => {
  it.effect("is a mistake of the host's, found when it makes the turn", () =>
    Effect.gen(function* () {
      const level: unknown = "none"
      const exit = yield* Effect.exit(offering({}, { repair: level as ArgumentRepair.Level }))
      assert.deepStrictEqual(
        exit,
        Exit.die(new RangeError("repair must be one of strict, contract, default, not none"))
      )
    }).pipe(Effect.scoped, Effect.provide(Testing.layer))
  )
})

const options = {
  description: "Count",
  input: Schema.Struct({ n: Schema.Int }),
  output: Schema.Int,
  execute: ({ n }: { readonly n: number }) => Effect.succeed(n)
}
