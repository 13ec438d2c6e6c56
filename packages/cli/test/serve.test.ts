import { assert, describe, it, vi } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { type Place, project } from "./support/command.ts"

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))

const connect = (client: Client, transport: Parameters<Client["connect"]>[0]) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      await client.connect(transport)
      return client
    }),
    (client) => Effect.promise(() => client.close())
  )

/** The command as a client starts it. */
const started = ({ root, state }: Place) =>
  new StdioClientTransport({
    command: process.execPath,
    args: [main, "serve", "--root", root],
    env: { HAFT_STATE: state },
    stderr: "inherit"
  })

/** Each test starts processes, which share the machine with other tests. */
vi.setConfig({ testTimeout: 120_000 })

const textOf = (result: Awaited<ReturnType<Client["callTool"]>>) => JSON.stringify(result.content)

/** The first part, as the model reads it. */
const wordsOf = (result: Awaited<ReturnType<Client["callTool"]>>): string => Object(result).content[0].text

const write = (client: Client, path: string) =>
  Effect.promise(() => client.callTool({ name: "write", arguments: { path, content: "hello" } }))

/** `haft serve --http`, until the Scope closes. */
const servingHttp = Effect.fnUntraced(function* (root: string, state: string) {
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [main, "serve", "--http", "0", "--root", root], {
        env: { HAFT_STATE: state, PATH: process.env["PATH"] }
      })
    ),
    (server) =>
      Effect.promise(async () => {
        server.kill()
        if (server.exitCode === null) await once(server, "exit")
      })
  )
  const lines = createInterface({ input: server.stderr })[Symbol.asyncIterator]()
  const next = Effect.map(
    Effect.promise(() => lines.next()),
    ({ value }) => String(value)
  )
  const url = /http:\S+/.exec(yield* next)?.[0] ?? ""
  return { url, authorization: /Bearer \S+/.exec(yield* next)?.[0] ?? "" }
})

describe("haft serve", () => {
  it.live("gives a client that starts it the tools of the project, and keeps a record", () =>
    Effect.gen(function* () {
      const place = yield* project({ "a.txt": "hello" })
      const client = yield* connect(new Client({ name: "editor", version: "1.0.0" }), started(place))
      const { tools } = yield* Effect.promise(() => client.listTools())
      assert.include(
        tools.map(({ name }) => name),
        "read"
      )
      const read = yield* Effect.promise(() => client.callTool({ name: "read", arguments: { path: "a.txt" } }))
      assert.include(textOf(read), "hello")
      const log = yield* place.haft(["log"])
      const [, id = ""] = /read +Succeeded .* (\S+)\n/.exec(log.out) ?? []
      yield* Effect.promise(() => client.callTool({ name: "read", arguments: { path: "b.txt" } }))
      const one = yield* place.haft(["log", id])
      assert.include(one.out, "hello")
      assert.notInclude(one.out, "b.txt")
    })
  )

  it.live("works twice in one project at the same time, with a log of both beside it", () =>
    Effect.gen(function* () {
      const place = yield* project({ "a.txt": "one", "b.txt": "two" })
      const clients = yield* Effect.forEach(
        ["a.txt", "b.txt"],
        (path) =>
          Effect.map(connect(new Client({ name: path, version: "1.0.0" }), started(place)), (client) => ({
            client,
            path
          })),
        { concurrency: 2 }
      )
      const rounds = Array.from({ length: 20 }, () => clients).flat()
      const reading = Effect.forEach(
        rounds,
        ({ client, path }) => Effect.promise(() => client.callTool({ name: "read", arguments: { path } })),
        { concurrency: 8 }
      )
      const [results, meanwhile] = yield* Effect.all([reading, place.process(["log", "--json"])], { concurrency: 2 })
      assert.isTrue(results.every(({ isError }) => isError === undefined))
      assert.strictEqual(meanwhile.code, 0, meanwhile.err)
      const log = yield* place.process(["log", "--json", "--limit", "100"])
      const records: ReadonlyArray<{ readonly _tag: string; readonly begun: { readonly context: object } }> =
        JSON.parse(log.out)
      assert.strictEqual(records.filter(({ _tag }) => _tag === "Ended").length, rounds.length)
      const sessions = new Set(records.map(({ begun }) => Object(begun.context).sessionID))
      assert.strictEqual(sessions.size, 2)
    })
  )

  it.live("tells a program where it listens, as JSON on standard output", () =>
    Effect.gen(function* () {
      const { root, state } = yield* project()
      const server = yield* Effect.acquireRelease(
        Effect.sync(() =>
          spawn(process.execPath, [main, "serve", "--http", "0", "--json", "--root", root], {
            env: { HAFT_STATE: state }
          })
        ),
        (server) =>
          Effect.promise(async () => {
            server.kill()
            if (server.exitCode === null) await once(server, "exit")
          })
      )
      const [line] = yield* Effect.promise(() => once(createInterface({ input: server.stdout }), "line"))
      const { token, url }: { readonly token: string; readonly url: string } = JSON.parse(String(line))
      const requestInit = { headers: { authorization: `Bearer ${token}` } }
      const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit })
      const client = yield* connect(new Client({ name: "program", version: "1.0.0" }), transport)
      assert.isNotEmpty((yield* Effect.promise(() => client.listTools())).tools)
    })
  )

  it.live("asks the person at the client, and refuses where the client cannot ask", () =>
    Effect.gen(function* () {
      const place = yield* project()
      const mute = yield* connect(new Client({ name: "mute", version: "1.0.0" }), started(place))
      const refused = yield* write(mute, "a.txt")
      assert.isTrue(refused.isError)
      assert.include(textOf(refused), "nobody is there to be asked")
      assert.include(textOf(refused), "This client has no way to ask its user.")
      assert.notMatch(textOf(refused), /user (?:refused|says)/)
      const [rule = ""] = /\{.*\}$/.exec(wordsOf(refused)) ?? []
      writeFileSync(join(place.root, "haft.json"), `{ "permissions": [${rule}] }`)
      const allowed = yield* connect(new Client({ name: "allowed", version: "1.0.0" }), started(place))
      assert.isUndefined((yield* write(allowed, "a.txt")).isError)
      const asking = new Client({ name: "asking", version: "1.0.0" }, { capabilities: { elicitation: {} } })
      asking.setRequestHandler(ElicitRequestSchema, ({ params }) => ({
        action: "accept",
        content: params.message.includes("b.txt") ? { answer: "once" } : { answer: "no", feedback: "Not this one" }
      }))
      const client = yield* connect(asking, started(place))
      assert.include(textOf(yield* write(client, "c.txt")), "The user says: Not this one")
      assert.isUndefined((yield* write(client, "b.txt")).isError)
      assert.strictEqual(readFileSync(join(place.root, "b.txt"), "utf8"), "hello")
      assert.isFalse(existsSync(join(place.root, "c.txt")))
    })
  )

  it.live("asks the person at the client what a model wants to know", () =>
    Effect.gen(function* () {
      const place = yield* project()
      const questions = [
        { question: "Which colour?", options: [{ label: "red" }, { label: "blue" }] },
        { question: "Which sizes?", options: [{ label: "S" }, { label: "M" }], multiple: true, custom: false },
        { question: "Why?", options: [] }
      ]
      const ask = (client: Client) =>
        Effect.promise(() => client.callTool({ name: "question", arguments: { questions } }))
      const mute = yield* connect(new Client({ name: "mute", version: "1.0.0" }), started(place))
      assert.include(textOf(yield* ask(mute)), "Nobody is there to answer.")
      const asking = new Client({ name: "asking", version: "1.0.0" }, { capabilities: { elicitation: {} } })
      const answers = [
        { action: "accept" as const, content: { answer1: "blue", option2_2: true, words3: "I like it" } },
        { action: "accept" as const, content: { answer1: "green" } },
        { action: "decline" as const }
      ]
      asking.setRequestHandler(ElicitRequestSchema, () => answers.shift() ?? { action: "cancel" })
      const client = yield* connect(asking, started(place))
      const answered = textOf(yield* ask(client))
      assert.include(answered, "- blue")
      assert.include(answered, "- M")
      assert.include(answered, "In the user's words: I like it")
      for (const _ of ["an answer that was not offered", "no answer"]) {
        const text = textOf(yield* ask(client))
        assert.include(text, "The user did not want to answer.")
        assert.notInclude(text, "Nobody is there")
      }
    })
  )

  it.live("serves over HTTP with a token that it prints, until it is told to stop", () =>
    Effect.gen(function* () {
      const { root, state } = yield* project({ "a.txt": "hello" })
      const { authorization, url } = yield* servingHttp(root, state)
      const refused = yield* Effect.promise(() => fetch(url, { method: "POST", body: "{}" }))
      assert.strictEqual(refused.status, 401)
      const transport = new StreamableHTTPClientTransport(new URL(url), {
        requestInit: { headers: { authorization } }
      })
      const client = yield* connect(new Client({ name: "remote", version: "1.0.0" }), transport)
      const read = yield* Effect.promise(() => client.callTool({ name: "read", arguments: { path: "a.txt" } }))
      assert.include(textOf(read), "hello")
    })
  )

  it.live("ends the background jobs of a client that ends its session over HTTP, and no others", () =>
    Effect.gen(function* () {
      const permissions = [{ action: "shell*", resource: "*", effect: "allow" }]
      const { root, state } = yield* project({ "haft.json": JSON.stringify({ permissions }) })
      const { authorization, url } = yield* servingHttp(root, state)
      const startJob = Effect.fnUntraced(function* (name: string) {
        const transport = new StreamableHTTPClientTransport(new URL(url), {
          requestInit: { headers: { authorization } }
        })
        const client = yield* connect(new Client({ name, version: "1.0.0" }), transport)
        const input = { command: `sleep ${600 + process.pid}.${name === "one" ? 1 : 2}`, background: true }
        const started = yield* Effect.promise(() => client.callTool({ name: "shell", arguments: input }))
        const pid = /as process (\d+)/.exec(textOf(started))?.[1] ?? assert.fail(textOf(started))
        return { transport, isRunning: () => existsSync(`/proc/${pid}`) }
      })
      const [one, two] = [yield* startJob("one"), yield* startJob("two")]
      assert.deepStrictEqual([one.isRunning(), two.isRunning()], [true, true])
      yield* Effect.promise(() => one.transport.terminateSession())
      assert.deepStrictEqual([one.isRunning(), two.isRunning()], [false, true])
    })
  )
})
