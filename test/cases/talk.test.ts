import { assert, describe, it } from "@effect/vitest"
import { Question, Questions, Todo, Todos } from "@haft/builtins"
import type { Tool } from "@haft/core"
import * as Testing from "@haft/core/testing"
import { Effect, Exit, Layer, Option, Result, Schema, Stream } from "effect"
import { type BadInput, badInputs, isTalkCase } from "./corpus.ts"
import { expand, textOf } from "./expand.ts"

/** Somebody who chooses the first option of every question, and says so otherwise. */
const layerPerson = Layer.effectDiscard(
  Effect.gen(function* () {
    const people = yield* Questions.Service
    yield* people.changes.pipe(
      Stream.runForEach((change) =>
        change._tag === "Asked" ? people.answer(change.pending, change.pending.questions.map(firstOf)) : Effect.void
      ),
      Effect.forkScoped({ startImmediately: true })
    )
  })
).pipe(Layer.provideMerge(Questions.layer()))

const firstOf = ({ options: [first] }: Questions.Question): Questions.Answer =>
  first === undefined ? { selected: [], custom: "whatever" } : { selected: [first.label] }

type Needs = Questions.Service | Todos.Service

const makers: Readonly<Record<string, Effect.Effect<Tool.Any, never, Needs>>> = {
  todo: Todo.make,
  question: Question.make
}

/** The corpus calls the parts of a plan otherwise, and has one question in a call. */
const renamed = (text: string): string =>
  text
    .replace('"items":', '"todos":')
    .replaceAll('"text":', '"content":')
    .replaceAll(/("content":"[^"]*")(?=\})/g, '$1,"status":"pending"')

const adapted = ({ input, tool }: BadInput): unknown => {
  const text = textOf(input)
  if (Option.isSome(text)) return renamed(text.value)
  if (tool === "question") return { questions: [expand(input)] }
  const { items } = Schema.decodeUnknownSync(Schema.Struct({ items: Schema.Json }))(expand(input))
  if (typeof items === "string") return { todos: renamed(items) }
  return JSON.parse(renamed(JSON.stringify({ items })))
}

const entries = badInputs.filter(isTalkCase)

const settled = Effect.fnUntraced(function* (tool: string, input: unknown, isText: boolean) {
  const made = yield* makers[tool] ?? Effect.die("no such tool")
  return yield* Testing.call(made, input, { name: tool, repair: isText ? "strict" : "default" })
})

const layer = Layer.merge(layerPerson, Todos.layerMemory)

describe("entries of the corpus for todo and question", () => {
  it.effect.each(entries.map((entry) => [entry.id, entry.why, entry] as const))("%s: %s", ([, , entry]) =>
    Effect.gen(function* () {
      const input = adapted(entry)
      const exit = yield* Effect.exit(Effect.result(settled(entry.tool, input, Option.isSome(textOf(entry.input)))))
      assert(Exit.isSuccess(exit), "a refusal is typed")
      const result = exit.value
      assert.isFalse("done" in {})
      if (entry.must === "reject") assert(Result.isFailure(result) && result.failure._tag === "InvalidInput")
      if (entry.id === "json-044") assert.isTrue(Result.isFailure(result))
      else if (entry.must === "bounded") assert.isTrue(Result.isSuccess(result))
    }).pipe(Effect.provide(layer))
  )

  it.effect("are adapted to what the tools take, so that an ordinary one goes through", () =>
    Effect.gen(function* () {
      const entry: BadInput = { id: "", category: "json", tool: "todo", input: {}, must: "accept", why: "" }
      const plan = yield* settled("todo", adapted({ ...entry, input: { items: [{ text: "a" }] } }), false)
      assert.deepStrictEqual(plan.output.structured, { todos: [{ content: "a", status: "pending" }] })
      const text = { $gen: "rawJson", text: '{"items":[{"text":"x"}]}' }
      assert.isDefined(yield* settled("todo", adapted({ ...entry, input: text }), true))
      const question = { question: "ok?", options: [{ label: "a" }, { label: "b" }] }
      const answered = yield* settled("question", adapted({ ...entry, tool: "question", input: question }), false)
      assert.deepStrictEqual(answered.output.structured, { answers: [{ selected: ["a"] }] })
    }).pipe(Effect.provide(layer))
  )
})
