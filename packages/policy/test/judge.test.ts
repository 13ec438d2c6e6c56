import { assert, describe, it } from "@effect/vitest"
import { Permission } from "@haft/core"
import { Protected, type Rule } from "@haft/policy"
import { Schema } from "effect"
// @ts-expect-error -- Tests are not emitted, so the path that could not be rewritten never is.
import * as Judge from "../src/internal/judge.ts"

const rule = (effect: Rule.Rule["effect"], action: string, resource: string): Rule.Rule => ({
  action,
  resource,
  effect
})

const request = (action: string, ...resources: ReadonlyArray<string>): Permission.Request => ({
  action,
  resources,
  save: [],
  metadata: {}
})

const judge = (rules: ReadonlyArray<Rule.Rule>, saved: ReadonlyArray<Rule.Saved> = []) => {
  const judged = Judge.make(rules, Protected.make())
  return (action: string, ...resources: ReadonlyArray<string>) => judged(saved, request(action, ...resources))
}

const allow = { _tag: "Allow" } as const
const deny = (rule: string | undefined) => ({ _tag: "Deny", rule }) as const
const ask = (...protectedPaths: ReadonlyArray<string>) => ({ _tag: "Ask", protectedPaths }) as const

describe("rules", () => {
  it("that do not match leave it to a person", () => {
    assert.deepStrictEqual(judge([])("edit", "a"), ask())
    assert.deepStrictEqual(judge([rule("allow", "read", "*"), rule("deny", "edit", "b")])("edit", "a"), ask())
  })

  it("decide by the last that matches", () => {
    const rules = [rule("deny", "*", "*"), rule("allow", "edit", "src/*"), rule("ask", "edit", "src/secret/*")]
    assert.deepStrictEqual(judge(rules)("edit", "src/a"), allow)
    assert.deepStrictEqual(judge(rules)("edit", "src/secret/a"), ask())
    assert.deepStrictEqual(judge(rules)("edit", "a"), deny("deny * *"))
    assert.deepStrictEqual(judge(rules.toReversed())("edit", "src/a"), deny("deny * *"))
  })

  it("deny a request of which they deny one resource, and ask for one of which they allow only some", () => {
    const rules = [rule("allow", "edit", "src/*"), rule("deny", "edit", "src/b")]
    assert.deepStrictEqual(judge(rules)("edit", "src/a", "src/c"), allow)
    assert.deepStrictEqual(judge(rules)("edit", "src/a", "other"), ask())
    assert.deepStrictEqual(judge(rules)("edit", "other", "src/a", "src/b"), deny("deny edit src/b"))
  })

  it("that are broad do not open what a tool itself knows to be executed later", () => {
    const broad = Judge.make([rule("allow", "*", "*")], Protected.make())
    const exact = Judge.make([rule("allow", "edit", "githooks/a")], Protected.make())
    const guarded = { ...request("edit", "githooks/a", "src/a"), guarded: ["githooks/a"] }
    assert.deepStrictEqual(broad([], guarded), ask("githooks/a"))
    assert.deepStrictEqual(broad([], request("edit", "githooks/a", "src/a")), allow)
    assert.deepStrictEqual(exact([{ action: "edit", resource: "*" }], guarded), allow)
  })

  it("do not allow a request about nothing unless they allow everything", () => {
    assert.deepStrictEqual(judge([rule("allow", "edit", "src/*")])("edit"), ask())
    assert.deepStrictEqual(judge([rule("allow", "edit", "*")])("edit"), allow)
  })

  it("that people saved answer what the host leaves open, for their own action alone", () => {
    const saved = [{ action: "edit", resource: "*" }]
    assert.deepStrictEqual(judge([], saved)("edit", "a"), allow)
    assert.deepStrictEqual(judge([rule("ask", "*", "*")], saved)("edit", "a"), allow)
    assert.deepStrictEqual(judge([], saved)("shell", "a"), ask())
    assert.deepStrictEqual(judge([], [{ action: "*", resource: "*" }])("edit", "a"), ask())
  })

  it("that people saved never open what the host denies", () => {
    const saved = [{ action: "edit", resource: "*" }]
    assert.deepStrictEqual(judge([rule("deny", "edit", "a")], saved)("edit", "a"), deny("deny edit a"))
  })
})

const effects = Schema.Literals(["allow", "deny", "ask"])
const Small = Schema.Array(
  Schema.Struct({ effect: effects, resource: Schema.Literals(["*", "a*", "?b", "ab", "b"]) })
).check(Schema.isMaxLength(5))
const Resources = Schema.Array(Schema.Literals(["a", "ab", "b", "bb"])).check(
  Schema.isMaxLength(3),
  Schema.isMinLength(1)
)

describe("a verdict", () => {
  it.prop(
    "is as strict as the strictest that each resource would get alone",
    [Small, Resources],
    ([small, resources]) => {
      const judged = judge(small.map(({ effect, resource }) => rule(effect, "edit", resource)))
      const alone = new Set(resources.map((resource) => judged("edit", resource)._tag))
      const strictest = (["Deny", "Ask"] as const).find((tag) => alone.has(tag)) ?? "Allow"
      assert.strictEqual(judged("edit", ...resources)._tag, strictest)
    }
  )

  it.prop(
    "does not change when a rule that matches nothing is added anywhere",
    [Small, Resources],
    ([small, resources]) => {
      const rules = small.map(({ effect, resource }) => rule(effect, "edit", resource))
      const expected = judge(rules)("edit", ...resources)
      for (const index of [0, rules.length]) {
        const more = rules.toSpliced(index, 0, rule("deny", "read", "*"))
        assert.deepStrictEqual(judge(more)("edit", ...resources), expected)
      }
    }
  )
})

describe("a protected path", () => {
  it("is not opened by a broad rule, but by one that names it and the action without a wildcard", () => {
    for (const broad of [rule("allow", "edit", "*"), rule("allow", "edit", ".npm*"), rule("allow", "*", ".npmrc")]) {
      assert.deepStrictEqual(judge([broad])("edit", ".npmrc"), ask(".npmrc"))
      assert.deepStrictEqual(judge([broad])("edit", ".npmrc-notes")._tag, broad.resource === ".npmrc" ? "Ask" : "Allow")
    }
    assert.deepStrictEqual(judge([rule("allow", "edit", ".npmrc")])("edit", ".npmrc"), allow)
    assert.deepStrictEqual(judge([rule("allow", "edit", ".npmrc")])("edit", "sub/.npmrc"), ask("sub/.npmrc"))
  })

  it("is opened by a specific rule whatever broad rules stand after it, unless one of them denies or asks", () => {
    const specific = rule("allow", "edit", ".npmrc")
    assert.deepStrictEqual(judge([specific, rule("allow", "edit", "*")])("edit", ".npmrc"), allow)
    assert.deepStrictEqual(judge([specific, rule("ask", "edit", "*")])("edit", ".npmrc"), ask(".npmrc"))
    assert.deepStrictEqual(judge([specific, rule("deny", "*", "*")])("edit", ".npmrc"), deny("deny * *"))
  })

  it("is not opened by what somebody saved for more than it", () => {
    const saved = (resource: string) => [{ action: "edit", resource }]
    assert.deepStrictEqual(judge([], saved("*"))("edit", "src/a", ".npmrc"), ask(".npmrc"))
    assert.deepStrictEqual(judge([], saved(Permission.literal(".npmrc")))("edit", ".npmrc"), allow)
  })

  it("may be read as the rules say", () => {
    assert.deepStrictEqual(judge([rule("allow", "*", "*")])("read", ".npmrc"), allow)
    assert.deepStrictEqual(judge([rule("allow", "*", "*")])("an action that nobody knows", ".npmrc"), ask(".npmrc"))
  })

  it("that belongs to Haft is closed to every action, whatever the rules say", () => {
    const path = "src/.haft-0123456789abcdef.tmp"
    const judged = judge([rule("allow", "edit", path), rule("allow", "read", path)])
    assert.deepStrictEqual(judged("edit", path), deny(undefined))
    assert.deepStrictEqual(judged("read", path), deny(undefined))
  })
})
