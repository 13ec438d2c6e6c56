/**
 * The tool with which a model plans its work. Register it as `todo`. Each call gives the whole plan of the session, which
 * the host can show while the work goes on.
 */
import * as Tool from "@haft/core/Tool"
import * as ToolContent from "@haft/core/ToolContent"
import * as ToolFailure from "@haft/core/ToolFailure"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { WellFormed } from "./internal/inputs.ts"
import * as Sentences from "./internal/todoSentences.ts"
import * as Todos from "./Todos.ts"

/** A plan that nobody can keep in view is none. */
export const maxItems = 100
/** A step is a line, not a document. */
export const maxLength = 1000

const fields = Sentences.todoFields

const Content = WellFormed.check(
  Schema.makeFilter((text: string) => text.trim() !== "", { expected: Sentences.someText }),
  Schema.isMaxLength(maxLength)
)

const Item = Schema.Struct({
  content: Content.annotate({ description: fields.content, examples: ["Add a test for empty input"] }),
  status: Todos.Status.annotate({ description: fields.status }),
  priority: Schema.optionalKey(Schema.Literals(["high", "medium", "low"]).annotate({ description: fields.priority }))
})

const hasNoTwins = (items: Todos.List): boolean => new Set(items.map(({ content }) => content)).size === items.length

/** What a model sends. */
export const Input = Schema.Struct({
  todos: Schema.Array(Item)
    .check(Schema.isMaxLength(maxItems), Schema.makeFilter(hasNoTwins, { expected: Sentences.differentItems }))
    .annotate({ description: fields.todos })
})

/** The plan as it is now. */
export const Output = Schema.Struct({ todos: Schema.Array(Todos.Item) })

/** The tool, for the plans of one Location. */
export const make: Effect.Effect<Tool.Tool<typeof Input, typeof Output>, never, Todos.Service> = Effect.gen(
  function* () {
    const plans = yield* Todos.Service
    const tool = Tool.make({
      description: Sentences.todoDescription,
      input: Input,
      output: Output,
      execute: Effect.fn("Todo.execute")(
        function* ({ todos }, { sessionID }) {
          yield* plans.set(sessionID, todos)
          return { todos: yield* plans.get(sessionID) }
        },
        Effect.catchTags({
          "Todos.StorageError": () =>
            ToolFailure.unavailable({ message: Sentences.stored, hint: Sentences.storedHint, retry: { model: true } })
        })
      ),
      toModelOutput: ({ output }) => [ToolContent.text(Sentences.plan(output.todos))]
    })
    return Tool.annotate(tool, {
      title: "Plan",
      determinism: "idempotent",
      operations: ["write"],
      risk: "low",
      version: "1.0.0"
    })
  }
)
