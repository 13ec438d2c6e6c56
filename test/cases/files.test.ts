import { assert, describe, it } from "@effect/vitest"
import { ApplyPatch, Edit, Glob, Grep, LocationFiles, LocationSearch, Read, Write } from "@haft/builtins"
import { Location, type Permission, type Tool } from "@haft/core"
import * as Testing from "@haft/core/testing"
import { NodeChildProcessSpawner } from "@haft/node"
import { Permissions, PolicyStore } from "@haft/policy"
import { Context, Effect, Exit, Layer, Option, Result, Schema } from "effect"
import * as Fs from "node:fs"
import { resolve } from "node:path"
import { type BadInput, badInputs, isFileCase } from "./corpus.ts"
import { textOf } from "./expand.ts"
import { variations } from "./variations.ts"
import { canary, disturbances, makeWorkspace, type Workspace } from "./workspace.ts"

/** Inside the workspace everything is allowed that a broad rule can open, outside nothing, and nobody is there to be asked. */
const layerPermission = Permissions.layer({
  location: Location.Ref.make("/corpus"),
  rules: [
    { action: "*", resource: "*", effect: "allow" },
    { action: "external_directory", resource: "*", effect: "deny" }
  ]
}).pipe(Layer.provide(PolicyStore.layerMemory))

type Needs = LocationFiles.Service | LocationSearch.Service | Permission.Service

const makers: Readonly<Record<string, Effect.Effect<Tool.Any, never, Needs>>> = {
  read: Read.make,
  write: Write.make,
  edit: Edit.make,
  apply_patch: ApplyPatch.make,
  glob: Glob.make,
  grep: Grep.make
}

const SingleEdit = Schema.Struct({
  path: Schema.Json,
  old: Schema.Json,
  new: Schema.Json,
  replaceAll: Schema.optionalKey(Schema.Json)
})

/** The corpus has one edit in a call, the tool a list of them. */
const adapted = ({ tool }: BadInput, input: Schema.Json): Schema.Json =>
  Option.match(tool === "edit" ? Schema.decodeUnknownOption(SingleEdit)(input) : Option.none(), {
    onNone: () => input,
    onSome: ({ path, ...edit }) => ({ path, edits: [edit] })
  })

/** What is built while an entry is expanded can be too large to exist, which is as good as a refusal. */
const inputOf = (entry: BadInput, workspace: Workspace): Option.Option<Schema.Json> => {
  try {
    return Option.some(adapted(entry, workspace.expanded(entry.input)))
  } catch (cause) {
    if (cause instanceof RangeError) return Option.none()
    throw cause
  }
}

/** A race is run often enough here to go both ways; the faults run it in full. */
const maxRepeats = 300

const descriptors = () => Fs.readdirSync("/proc/self/fd").length

const outcomes = Effect.fnUntraced(function* (entry: BadInput, workspace: Workspace) {
  const layer = LocationSearch.layer().pipe(
    Layer.provide(NodeChildProcessSpawner.layer),
    Layer.provideMerge(Layer.merge(LocationFiles.layer({ root: workspace.root }), layerPermission))
  )
  const context = yield* Layer.build(layer)
  const tool = yield* Effect.provideContext(makers[entry.tool] ?? Effect.die("no such tool"), context)
  const input = inputOf(entry, workspace)
  if (Option.isNone(input)) return []
  const before = descriptors()
  const call = Effect.exit(Effect.result(Testing.call(tool, input.value, { name: entry.tool })))
  const exits = yield* Effect.replicateEffect(call, Math.min(entry.repeat ?? 1, maxRepeats))
  if (!isDisturbed(entry)) assert.strictEqual(descriptors(), before)
  yield* assertInUse(context)
  assert.strictEqual(Context.get(context, LocationFiles.Service).confinement, "strict")
  return exits.map((exit) => (Exit.isSuccess(exit) ? exit.value : assert.fail("a refusal is typed")))
})

/** A tool that refuses everything would pass most entries, so what is right is done beside each. */
const assertInUse = Effect.fnUntraced(function* (context: Context.Context<Needs>) {
  const call = (tool: Effect.Effect<Tool.Any, never, Needs>, input: Schema.Json) =>
    Effect.flatMap(Effect.provideContext(tool, context), (made) => Testing.call(made, input))
  const { output } = yield* call(Read.make, { path: "file..name" })
  assert.deepInclude(output.structured, { text: "ok" })
  yield* call(Edit.make, { path: "file..name", edits: [{ old: "ok", new: "ok!" }] })
})

/** Then another thread of this process opens files, too. */
const isDisturbed = ({ setup = [] }: BadInput): boolean => setup.some(({ op }) => disturbances.has(String(op)))

const isRace = ({ repeat }: BadInput): boolean => repeat !== undefined

/** Exact to the byte, as far as the entry says what has to come out. */
const assertExact = ({ expect, tool }: BadInput, input: Schema.Json, root: string, text: string): void => {
  if (tool === "grep") return assert.include(text, "Nothing matches.")
  const { content, path } = Schema.decodeUnknownSync(
    Schema.Struct({ path: Schema.String, content: Schema.optionalKey(Schema.String) })
  )(input)
  const file = resolve(root, path)
  if (tool === "write") assert.deepStrictEqual(Fs.readFileSync(file), Buffer.from(content ?? ""))
  if (tool === "edit") assert.strictEqual(Fs.readFileSync(file, "utf8"), expect)
  if (tool === "read") assert.include(text, Fs.readFileSync(file, "utf8").trimEnd())
}

/** Some entries want a hundred thousand files, which takes minutes where others use the same disk. */
const longTime = 600_000

describe("entries of the corpus for the file tools", { timeout: longTime }, () => {
  const entries = [...badInputs, ...variations].filter(
    (entry) => isFileCase(entry) && Option.isNone(textOf(entry.input))
  )

  it.live.each(entries.map((entry) => [entry.id, entry.why, entry] as const))("%s: %s", ([, , entry]) =>
    Effect.gen(function* () {
      const workspace = yield* makeWorkspace(entry.setup ?? [])
      const isUntouched = entry.must === "reject" && !isDisturbed(entry)
      const [outside, inside] = [workspace.outside(), isUntouched ? workspace.names() : []]
      const results = yield* Effect.scoped(Effect.andThen(workspace.disturbed, outcomes(entry, workspace)))
      assert.notInclude(JSON.stringify(results), canary)
      assert.deepStrictEqual(workspace.outside(), outside)
      assert.isEmpty(workspace.names().filter((name) => name.includes(".haft-")))
      assert.isFalse("isAdmin" in {})
      if (isUntouched) assert.deepStrictEqual(workspace.names(), inside)
      for (const result of results) {
        if (entry.must === "reject" && !isRace(entry)) assert.isTrue(Result.isFailure(result))
        if (entry.must === "accept") assert.isTrue(Result.isSuccess(result))
        if (entry.must !== "accept" || Result.isFailure(result)) continue
        const text = result.success.output.content.map((part) => (part._tag === "Text" ? part.text : "")).join()
        assertExact(entry, workspace.expanded(entry.input), workspace.root, text)
      }
    })
  )
})
