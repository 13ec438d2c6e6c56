/** A page is fetched, a person is asked, and the host sees the plan, as a model would do it in three calls. */
import { Fetch, LocationFetch, Question, Questions, Todo, Todos } from "@haft/builtins"
import { Agent, Permission, Session, ToolCall, Tools } from "@haft/core"
import { ApplicationTools, OutputBounds, OutputStores, SettlementStores, ToolRegistry } from "@haft/registry"
import { Effect, Layer, Stream } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

const page = `<title>Databases</title><h1>Which one?</h1><p>See <a href="/sqlite">SQLite</a>.</p>`
const server = createServer((_, response) => void response.setHeader("content-type", "text/html").end(page))
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
const { port } = server.address() as AddressInfo

const sessionID = Session.ID.make("session")

/** The host's side: somebody takes whatever is recommended. */
const person = Effect.gen(function* () {
  const questions = yield* Questions.Service
  yield* Stream.runForEach(questions.changes, (change) => {
    if (change._tag === "Ended") return Effect.void
    console.log(Questions.prompt(change.pending))
    const answers = change.pending.questions.map(({ options }) => ({
      selected: options.slice(0, 1).map((o) => o.label)
    }))
    return questions.answer(change.pending, answers)
  })
})

const turn = Effect.gen(function* () {
  yield* Effect.forkScoped(person, { startImmediately: true })
  const tools = yield* Tools.Service
  yield* tools.register({ fetch: yield* Fetch.make, question: yield* Question.make, todo: yield* Todo.make })
  const { settle } = yield* (yield* ToolRegistry.Service).materialize()
  const calls = [
    { name: "fetch", input: { url: `http://docs.test:${port}/` } },
    {
      name: "question",
      input: { questions: [{ question: "Which?", options: [{ label: "SQLite" }, { label: "None" }] }] }
    },
    { name: "todo", input: { todos: [{ content: "Add SQLite", status: "in_progress" }] } },
    { name: "fetch", input: { url: "http://169.254.169.254/latest/meta-data/" } }
  ]
  const message = { sessionID, agent: Agent.ID.make("main"), assistantMessageID: Session.MessageID.make("message") }
  const settlements = yield* Effect.forEach(calls, (call, index) =>
    settle({ ...message, call: { id: ToolCall.ID.make(`${index}`), ...call } })
  )
  return { settlements, plan: yield* (yield* Todos.Service).get(sessionID) }
})

/** A real host asks rules or a person here. */
const allowAll = Layer.succeed(Permission.Service, { assert: () => Effect.void, stops: () => Effect.succeed(false) })

/** A real host leaves all of this out: here a server of this machine stands for the web. */
const web = LocationFetch.layer({
  ports: [80, 443, port],
  resolver: () => Effect.succeed(["127.0.0.1"]),
  admits: (address) => address === "127.0.0.1"
})

const Live = Layer.mergeAll(web, Questions.layer(), Todos.layerMemory, allowAll).pipe(
  Layer.provideMerge(ToolRegistry.layer),
  Layer.provide([ApplicationTools.layer, SettlementStores.layerMemory, OutputBounds.layer()]),
  Layer.provide(OutputStores.layerMemory())
)

const { plan, settlements } = await Effect.runPromise(turn.pipe(Effect.scoped, Effect.provide(Live)))
for (const settlement of settlements) {
  if (settlement._tag === "Succeeded")
    for (const part of settlement.output.content)
      if (part._tag === "Text") console.log(part.text.replaceAll(`:${port}`, ""))
  if (settlement._tag === "Failed") console.log(settlement.failure.message, settlement.failure.hint)
}
console.log(plan)
server.close()
