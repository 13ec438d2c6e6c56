import { assert, describe, it } from "@effect/vitest"
import { Rule } from "@haft/policy"
import { Result } from "effect"

const rule = (resource: string) => ({ action: "edit", resource, effect: "allow" })

const faultsOf = (rules: unknown) => Result.getOrThrow(Result.flip(Rule.decode(rules))).faults

describe("rules", () => {
  it("are taken as they are written", () => {
    const rules: ReadonlyArray<Rule.Rule> = [
      { action: "*", resource: "*", effect: "ask" },
      { action: "edit", resource: "src/**/*.ts", effect: "allow" },
      { action: "edit", resource: String.raw`app/\[slug\]/\{x\}/page+(a).tsx`, effect: "deny" },
      { action: "shell", resource: String.raw`\^start or end\$`, effect: "deny" },
      { action: "edit", resource: "app/(group)/+page.svelte", effect: "allow" },
      { action: "edit", resource: String.raw`app/(group\)*`, effect: "allow" },
      { action: "shell", resource: "cat a | head", effect: "deny" },
      { action: "shell", resource: "a$b ! c^d", effect: "deny" }
    ]
    assert.deepStrictEqual(Result.getOrThrow(Rule.decode(rules)), rules)
    assert.deepStrictEqual(Result.getOrThrow(Rule.decode([])), [])
  })

  it("that are written in another language of patterns are refused, because they would not do what they say", () => {
    const others = [
      "^(a+)+$",
      "^src/",
      "src/.*$",
      "src/{a,b}.ts",
      "[ab].ts",
      "!secret/*",
      "a]",
      "(a|b)*.ts",
      "(x+x+)+y",
      "src/(?:a)",
      "+(a|b)"
    ]
    for (const pattern of others) {
      const [fault] = faultsOf([rule("*"), rule(pattern)])
      assert.strictEqual(fault?.path, "1.resource", pattern)
      assert.include(fault?.message, "looks like a regular expression or another kind of glob", pattern)
    }
  })

  it("with a backslash before anything that has no meaning are refused, as a path of Windows is", () => {
    for (const pattern of [String.raw`src\main.ts`, "src\\", String.raw`src\\\a`]) {
      assert.include(faultsOf([rule(pattern)])[0]?.message, "between the parts of a path write /", pattern)
    }
  })

  it("that are empty or of boundless length are refused", () => {
    assert.include(faultsOf([rule("")])[0]?.message, 'write "*" for everything')
    assert.include(faultsOf([rule("*".repeat(100_000))])[0]?.message, "the pattern has 100000 characters")
    assert.isTrue(Result.isSuccess(Rule.decode([rule("a".repeat(4096))])))
  })

  it("are refused together, with every fault and the place of each", () => {
    const wrong = [rule("[a]"), { action: "edit", effect: "allowed", pattern: "*" }, rule("src/*"), "deny all"]
    const error = Result.getOrThrow(Result.flip(Rule.decode(wrong)))
    assert.sameMembers(
      error.faults.map(({ path }) => path),
      ["0.resource", "1.effect", "1.resource", "1.pattern", "3"]
    )
    assert.match(error.message, /^The permission rules are not valid, and none of them counts:\n- rule 0\.resource: /)
    assert.lengthOf(error.message.split("\n"), error.faults.length + 1)
  })

  it("have to be a list", () => {
    assert.deepStrictEqual(
      faultsOf({ edit: "allow" }).map(({ path }) => path),
      [""]
    )
  })
})
