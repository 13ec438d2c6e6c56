import { assert, describe, it } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js"
import type { Session } from "@haft/core"
import { Deferred, Effect, Fiber, Queue } from "effect"
import { TestClock } from "effect/testing"
import { connect, overHttp, overStdio } from "./support/client.ts"
import { serving, token } from "./support/serving.ts"
import { layer, source } from "./support/tools.ts"

const serveHttp = Effect.gen(function* () {
  const made = yield* source
  return { ...made, url: yield* serving(made.served) }
})

const textOf = (result: Awaited<ReturnType<Client["callTool"]>>) => JSON.stringify(result.content)

/** What holds over every transport. */
const tour = Effect.fnUntraced(function* (client: Client) {
  const { tools } = yield* Effect.promise(() => client.listTools())
  assert.deepStrictEqual(
    tools.map(({ name }) => name),
    ["add", "ask", "count", "extend", "hang", "lines", "picture", "refuse", "release"]
  )
  const add = tools.find(({ name }) => name === "add")
  assert.strictEqual(add?.title, "Addition")
  assert.isTrue(add?.annotations?.readOnlyHint)
  const sum = yield* Effect.promise(() => client.callTool({ name: "add", arguments: { a: 1, b: 2 } }))
  assert.deepStrictEqual(sum.structuredContent, { sum: 3 })
  const repaired = yield* Effect.promise(() => client.callTool({ name: "add", arguments: { a: "1", b: 2 } }))
  assert.deepStrictEqual(repaired.structuredContent, { sum: 3 })
  assert.include(textOf(repaired), "number")
  const invalid = yield* Effect.promise(() => client.callTool({ name: "add", arguments: { a: 1 } }))
  assert.isTrue(invalid.isError)
  assert.include(textOf(invalid), "b")
  const refused = yield* Effect.promise(() => client.callTool({ name: "refuse", arguments: {} }))
  assert.isTrue(refused.isError)
  assert.include(textOf(refused), "Try tomorrow.")
  const picture = yield* Effect.promise(() => client.callTool({ name: "picture", arguments: {} }))
  assert.include(textOf(picture), "iVBORw==")
  const progress = yield* Queue.unbounded<number>()
  const counted = client.callTool({ name: "count", arguments: {} }, undefined, {
    onprogress: (update) => void Queue.offerUnsafe(progress, update.progress)
  })
  assert.deepStrictEqual(yield* Queue.takeN(progress, 3), [1, 2, 3])
  yield* Effect.promise(() => client.callTool({ name: "release", arguments: {} }))
  assert.include(textOf(yield* Effect.promise(() => counted)), "three")
})

/** What was too large is behind a link, and all of it is there. */
const readAll = Effect.fnUntraced(function* (client: Client) {
  const result = yield* Effect.promise(() => client.callTool({ name: "lines", arguments: { count: 1_000 } }))
  const content: ReadonlyArray<{ readonly type: string; readonly uri?: string }> = Object(result).content
  const uri = content.find(({ type }) => type === "resource_link")?.uri ?? ""
  const { contents } = yield* Effect.promise(() => client.readResource({ uri }))
  return { uri, text: JSON.stringify(contents) }
})

describe("the official client", () => {
  it.live("over standard streams lists, calls, sees progress and reads what was too large", () =>
    Effect.gen(function* () {
      const client = yield* connect(overStdio)
      yield* tour(client)
      const { text } = yield* readAll(client)
      assert.include(text, "line 1000 ✓")
    })
  )

  it.live("over HTTP lists, calls, sees progress and reads what was too large", () =>
    Effect.gen(function* () {
      const { url } = yield* serveHttp
      const client = yield* connect(overHttp(url, token))
      yield* tour(client)
      const { text } = yield* readAll(client)
      assert.include(text, "line 1000 ✓")
    }).pipe(Effect.provide(layer))
  )

  it.live("does not see the outputs of another", () =>
    Effect.gen(function* () {
      const { url } = yield* serveHttp
      const one = yield* connect(overHttp(url, token))
      const other = yield* connect(overHttp(url, token))
      const { uri } = yield* readAll(one)
      const refused = yield* Effect.flip(Effect.tryPromise({ try: () => other.readResource({ uri }), catch: String }))
      assert.include(refused, "There is no such output for this client.")
    }).pipe(Effect.provide(layer))
  )

  it.live("that cancels has its call interrupted", () =>
    Effect.gen(function* () {
      const { url, watched } = yield* serveHttp
      const client = yield* connect(overHttp(url, token))
      const controller = new AbortController()
      const call = yield* Effect.forkScoped(
        Effect.exit(
          Effect.tryPromise(() =>
            client.callTool({ name: "hang", arguments: {} }, undefined, { signal: controller.signal })
          )
        )
      )
      yield* Deferred.await(watched.started)
      controller.abort()
      yield* Deferred.await(watched.interrupted)
      assert.strictEqual((yield* Fiber.join(call))._tag, "Failure")
    }).pipe(Effect.provide(layer))
  )

  it.live("that disappears has its call interrupted", () =>
    Effect.gen(function* () {
      const { url, watched } = yield* serveHttp
      const client = yield* connect(overHttp(url, token))
      const lost = Effect.tryPromise(() => client.callTool({ name: "hang", arguments: {} }))
      const call = yield* Effect.forkScoped(Effect.exit(lost))
      yield* Deferred.await(watched.started)
      yield* Effect.promise(() => client.close())
      yield* Deferred.await(watched.interrupted)
      yield* Fiber.join(call)
    }).pipe(Effect.provide(layer))
  )

  it.effect("that is not heard of for long has its session ended, and one that is heard of has not", () =>
    Effect.gen(function* () {
      const { served } = yield* source
      const gone = yield* Queue.unbounded<Session.ID>()
      const ended = (session: Session.ID) => Effect.asVoid(Queue.offer(gone, session))
      const url = yield* serving({ ...served, ended }, { sessionIdle: "2 hours" })
      const clients = [yield* connect(overHttp(url, token)), yield* connect(overHttp(url, token))] as const
      for (const client of clients) {
        yield* Effect.promise(() => client.callTool({ name: "add", arguments: { a: 1, b: 2 } }))
      }
      yield* TestClock.adjust("90 minutes")
      yield* Effect.promise(() => clients[0].ping())
      yield* TestClock.adjust("90 minutes")
      const silent = yield* Queue.take(gone)
      assert.strictEqual(yield* Queue.size(gone), 0)
      yield* TestClock.adjust("90 minutes")
      assert.notStrictEqual(yield* Queue.take(gone), silent)
      yield* Effect.promise(() => clients[0].callTool({ name: "add", arguments: { a: 1, b: 2 } }))
      yield* TestClock.adjust("3 hours")
      assert.notStrictEqual(yield* Queue.take(gone), silent)
      assert.strictEqual(yield* Queue.size(gone), 0)
    }).pipe(Effect.provide(layer))
  )

  it.live("over standard streams hears of tools that come and go", () =>
    Effect.gen(function* () {
      const client = yield* connect(overStdio)
      const heard = yield* Queue.unbounded<void>()
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => void Queue.offerUnsafe(heard, undefined))
      const names = Effect.map(
        Effect.promise(() => client.listTools()),
        ({ tools }) => tools.map(({ name }) => name)
      )
      assert.notInclude(yield* names, "extra")
      yield* Effect.promise(() => client.callTool({ name: "extend", arguments: { present: true } }))
      yield* Queue.take(heard)
      assert.include(yield* names, "extra")
      yield* Effect.promise(() => client.callTool({ name: "extend", arguments: { present: false } }))
      yield* Queue.take(heard)
      assert.notInclude(yield* names, "extra")
    })
  )

  it.live("is asked what only a person can decide, where it can ask", () =>
    Effect.gen(function* () {
      const { url } = yield* serveHttp
      const asking = new Client({ name: "asking", version: "1.0.0" }, { capabilities: { elicitation: {} } })
      asking.setRequestHandler(ElicitRequestSchema, ({ params }) => ({
        action: "accept",
        content: { answer: params.message.includes("May I?") ? "no" : "yes", feedback: "Later" }
      }))
      const declining = new Client({ name: "declining", version: "1.0.0" }, { capabilities: { elicitation: {} } })
      declining.setRequestHandler(ElicitRequestSchema, () => ({ action: "decline" }))
      const one = yield* connect(overHttp(url, token), asking)
      const answered = yield* Effect.promise(() => one.callTool({ name: "ask", arguments: {} }))
      assert.include(textOf(answered), "no Later")
      const silent = yield* connect(overHttp(url, token))
      const unanswered = yield* Effect.promise(() => silent.callTool({ name: "ask", arguments: {} }))
      assert.include(textOf(unanswered), "Unreachable")
      const other = yield* connect(overHttp(url, token), declining)
      const declined = yield* Effect.promise(() => other.callTool({ name: "ask", arguments: {} }))
      assert.include(textOf(declined), "Declined")
    }).pipe(Effect.provide(layer))
  )
})
