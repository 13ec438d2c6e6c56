import { assert, describe, it } from "@effect/vitest"
import { InvalidInput, Tool } from "@haft/core"
import * as Runtime from "@haft/core/runtime"
import * as Testing from "@haft/core/testing"
import { Effect, Exit, Option, Predicate, Result, Schema } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import {
  type BadInput,
  badInputs,
  isCommandCase,
  isFileCase,
  isGatewayCase,
  isRegistryCase,
  isRuleCase,
  isTalkCase,
  isWebCase
} from "./corpus.ts"
import { expand, textOf } from "./expand.ts"
import { openBadInputs } from "./open.ts"
import { type StandIn, standIns } from "./standIns.ts"

const root = join(import.meta.dirname, "../..")

const isText = ({ input }: BadInput): boolean => Option.isSome(textOf(input))

const keyOf = (entry: BadInput): string => `${entry.category} ${entry.tool}${isText(entry) ? " as text" : ""}`

/** Text for the parser of a wire is read strictly; a value is repaired as any other. */
const argumentsOf = (entry: BadInput): unknown =>
  Option.getOrElse(textOf(entry.input), (): unknown => expand(entry.input))

const optionsFor = (entry: BadInput): Testing.Options => (isText(entry) ? { repair: "strict" } : {})

const isName = ({ category, input, tool }: BadInput): boolean =>
  category === "names" && tool === "registry" && Predicate.hasProperty(input, "name")

/** Other categories are about what a tool does with files, addresses or programs. */
const isCall = (entry: BadInput): boolean =>
  standIns.has(entry.tool) && (entry.category === "json" || entry.tool.startsWith("mcp:"))

const isCovered = (entry: BadInput): boolean =>
  isName(entry) ||
  isCall(entry) ||
  isRegistryCase(entry) ||
  isRuleCase(entry) ||
  isTalkCase(entry) ||
  isGatewayCase(entry) ||
  isWebCase(entry) ||
  isCommandCase(entry) ||
  (isFileCase(entry) && !isText(entry)) ||
  Object.hasOwn(openBadInputs, keyOf(entry))

const standInFor = ({ input, tool }: BadInput): StandIn =>
  Option.getOrThrow(Option.fromNullishOr(standIns.get(tool)))(input)

const titled = (entries: ReadonlyArray<BadInput>) => entries.map((entry) => [entry.id, entry.why, entry] as const)

describe("names of the corpus", () => {
  const tool = Tool.make({
    description: "",
    input: Schema.Struct({}),
    output: Schema.String,
    execute: () => Effect.succeed("")
  })

  it.each(titled(badInputs.filter(isName)))("%s: %s", (_, __, { input, must }) => {
    const { name } = Schema.decodeUnknownSync(Schema.Struct({ name: Schema.String }))(expand(input))
    const opened = Runtime.open(name, tool)
    assert.strictEqual(
      Result.isSuccess(opened) ? "accept" : opened.failure.reason,
      must === "accept" ? must : "InvalidName"
    )
  })
})

/** Never a defect; a refusal comes before the executor and is bounded. */
const settledWithin = Effect.fnUntraced(function* ({ runs, tool }: StandIn, entry: BadInput) {
  const exit = yield* Effect.exit(Effect.result(Testing.call(tool, argumentsOf(entry), optionsFor(entry))))
  assert(Exit.isSuccess(exit), "a refusal is typed")
  const result = exit.value
  assert.strictEqual(runs(), Result.isSuccess(result) ? 1 : 0)
  if (Result.isFailure(result) && result.failure._tag === "InvalidInput") {
    assert.isAtMost(JSON.stringify(result.failure.violations).length, InvalidInput.maxBytes)
  }
  assert.isFalse("isAdmin" in {})
  return result
})

describe("arguments of the corpus", () => {
  it.effect.each(titled(badInputs.filter(isCall)))("%s: %s", ([, , entry]) =>
    Effect.gen(function* () {
      const result = yield* settledWithin(standInFor(entry), entry)
      if (entry.must === "reject") assert(Result.isFailure(result) && result.failure._tag === "InvalidInput")
      if (entry.must !== "accept") return
      assert(Result.isSuccess(result))
      assert.strictEqual(JSON.stringify(result.success.output.structured), JSON.stringify(argumentsOf(entry)))
    })
  )
})

describe("the corpus of bad inputs", () => {
  it.each(titled(badInputs))("runs %s or says which part it waits for", (_, __, entry) => {
    assert.isTrue(isCovered(entry))
  })

  it("would not pass over an entry for a tool that nobody knows", () => {
    const entry: BadInput = { id: "json-999", category: "json", tool: "mcp:other", input: {}, must: "reject", why: "" }
    assert.isFalse(isCovered(entry))
    assert.isTrue(isCovered({ ...entry, tool: "mcp:echo" }))
  })

  it.each(Object.entries(openBadInputs))("waits with %s only as long as there is no %s", (key, file) => {
    assert.isFalse(existsSync(join(root, file)))
    assert.isTrue(badInputs.some((entry) => keyOf(entry) === key))
  })

  it("names every entry once", () => {
    assert.strictEqual(new Set(badInputs.map(({ id }) => id)).size, badInputs.length)
  })
})
