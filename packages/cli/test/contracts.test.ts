import { assert, describe, it, vi } from "@effect/vitest"
import { Manifest } from "@haft/gateway"
import { Effect, Fiber, Result, Schema } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { type Place, project } from "./support/command.ts"

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))

/** Each test starts processes, which share the machine with other tests. */
vi.setConfig({ testTimeout: 120_000 })

describe("haft manifest", () => {
  it.live("shows what a tool's annotations say, as a manifest that can be read again", () =>
    Effect.gen(function* () {
      const { haft } = yield* project()
      const { code, out } = yield* haft(["manifest", "read", "--owner", "@team"])
      assert.strictEqual(code, 0)
      const manifest = Result.getOrThrow(Manifest.parse(out))
      assert.deepInclude(manifest, { tool_id: "read", owner: "@team", determinism: "pure" })
      const wrong = yield* haft(["manifest", "raed"])
      assert.strictEqual(wrong.code, 2)
      assert.include(wrong.err, "read")
      const json = yield* haft(["manifest", "read", "--json"])
      assert.strictEqual(JSON.parse(json.out)[0].tool_id, "read")
    })
  )

  it.live("writes manifests, schemas and a lock, and leaves what people have written", () =>
    Effect.gen(function* () {
      const { haft, root } = yield* project()
      const written = yield* haft(["manifest", "--write", "tools", "--owner", "@team"])
      assert.strictEqual(written.code, 0)
      const file = join(root, "tools", "read", "tool.yaml")
      const lock = () => Result.getOrThrow(Manifest.parseLock(readFileSync(join(root, "tools", "lock.yaml"), "utf8")))
      assert.deepInclude(lock().tools["read"], { version: "1.0.0" })
      assert.isTrue(existsSync(join(root, "tools", "read", "read.request.json")))
      const edited = readFileSync(file, "utf8").replace("semver: 1.0.0", "semver: 1.2.0")
      writeFileSync(file, edited)
      const again = yield* haft(["manifest", "read", "--write", "tools"])
      assert.include(again.err, "stayed")
      assert.strictEqual(readFileSync(file, "utf8"), edited)
      assert.strictEqual(lock().tools["read"]?.version, "1.2.0")
      assert.isDefined(lock().tools["edit"], "naming one tool forgets no other")
    })
  )

  it.live("says which file is wrong and why, and does not pass a changed tool for the same version", () =>
    Effect.gen(function* () {
      const { haft, root } = yield* project()
      yield* haft(["manifest", "read", "--write", "tools"])
      const [file, lockFile] = [join(root, "tools", "read", "tool.yaml"), join(root, "tools", "lock.yaml")]
      const [good, lock] = [readFileSync(file, "utf8"), readFileSync(lockFile, "utf8")]
      writeFileSync(lockFile, lock.replace(/definition_digest: sha256:./, "definition_digest: sha256:0"))
      const other = yield* haft(["manifest", "read", "--write", "tools"])
      assert.deepStrictEqual([other.code, other.err.includes("has changed since")], [2, true])
      assert.strictEqual((yield* haft(["manifest", "read", "--write", "tools", "--replace"])).code, 0)
      writeFileSync(file, good.replace("determinism: pure", "determinism: maybe\nunknown: 1"))
      const broken = yield* haft(["manifest", "read", "--write", "tools"])
      assert.strictEqual(broken.code, 2)
      for (const part of [file, "determinism", "unknown"]) assert.include(broken.err, part)
    })
  )
})

const token = "0123456789abcdef0123456789abcdef"

/** A server as a person starts it, with the address that it prints. */
const serving = ({ root, state }: Place, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function* () {
    const server = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [main, "serve", "--http", "0", "--root", root, ...args], {
          env: { HAFT_STATE: state, HAFT_TOKEN: token, ...env }
        })
      ),
      (server) =>
        Effect.promise(async () => {
          server.kill()
          if (server.exitCode === null) await once(server, "exit")
        })
    )
    const lines = createInterface({ input: server.stderr })[Symbol.asyncIterator]()
    const { value } = yield* Effect.promise(() => lines.next())
    return new URL(/http:\S+/.exec(String(value))?.[0] ?? "")
  })

const send = (url: URL, document: object, headers: Readonly<Record<string, string>> = {}) =>
  Effect.promise((signal) =>
    fetch(url, {
      signal,
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}`, ...headers },
      body: JSON.stringify(document)
    })
  )

const json = (response: Response) => Effect.promise(async (): Promise<unknown> => response.json())

const orloj = (path: string, more: object = {}) => ({
  request_id: path,
  tool: { name: "read" },
  input: { path },
  ...more
})

describe("haft serve --contract", () => {
  it.live("answers calls of the Orloj contract, and writes each into the record", () =>
    Effect.gen(function* () {
      const place = yield* project({ "a.txt": "hello" })
      const url = yield* serving(place, ["--contract", "orloj"])
      const read = yield* json(yield* send(url, orloj("a.txt")))
      assert.deepNestedInclude(read, { status: "ok", request_id: "a.txt", "output.text": "hello" })
      const failed = yield* json(yield* send(url, orloj("missing.txt")))
      assert.deepNestedInclude(failed, { status: "error", "error.code": "execution_failed", "error.retryable": false })
      const tool = { name: "write" }
      const write = { request_id: "w", tool, input: { path: "b.txt", content: "x" } }
      assert.deepInclude(yield* json(yield* send(url, write)), { status: "denied" })
      assert.isFalse(existsSync(join(place.root, "b.txt")))
      assert.strictEqual((yield* send(url, orloj("a.txt"), { authorization: "Bearer other" })).status, 401)
      const described = yield* json(yield* Effect.promise(() => fetch(new URL("/openapi.json", url))))
      const { paths } = Schema.decodeUnknownSync(Schema.Struct({ paths: Schema.JsonObject }))(described)
      assert.deepStrictEqual(Object.keys(paths), ["/orloj/v1/execute"])
      assert.strictEqual((yield* send(new URL("/uicp/v1/call", url), {})).status, 404)
      const log = yield* place.haft(["log"])
      assert.include(log.out, "read")
    })
  )

  const uicp = (version: string, more: object = {}) => ({
    call_id: "a8f124c2-918f-59f1-9e47-b7bc59d34893",
    tool_id: "read",
    tool_version: version,
    fn: "invoke",
    input: { path: "a.txt" },
    context: {
      actor_id: "agent://here",
      timezone: "UTC",
      trace_id: "a8f124c2-918f-59f1-9e47-b7bc59d34893",
      env: "dev",
      ...more
    },
    constraints: {
      timeout_ms: 60_000,
      deadline_unix_ms: 4_102_444_800_000,
      idempotency_key: `key-of-16-chars-${version}`
    }
  })

  it.live("offers what the lock pins to the holder of the token alone, and refuses what is not that any more", () =>
    Effect.gen(function* () {
      const place = yield* project({ "a.txt": "hello" })
      yield* place.haft(["manifest", "read", "--write", "tools", "--owner", "@team"])
      const args = ["--contract", "uicp", "--manifests", "tools", "--actor", "agent://here"]
      const url = yield* serving(place, args)
      const pinned = yield* json(yield* send(url, uicp("1.x")))
      assert.deepNestedInclude(pinned, {
        status: "success",
        "provenance.tool_version": "1.0.0",
        "output.text": "hello"
      })
      assert.deepNestedInclude(yield* json(yield* send(url, uicp("2.x"))), { "error.code": "C-CONTRACT-VERSION" })
      const other = yield* json(yield* send(url, uicp("*", { actor_id: "agent://there" })))
      assert.deepNestedInclude(other, { status: "terminal_error", "error.code": "A-AUTH-PERMISSION" })
      const lockFile = join(place.root, "tools", "lock.yaml")
      const lock = readFileSync(lockFile, "utf8")
      writeFileSync(lockFile, lock.replace(/definition_digest: sha256:./, "definition_digest: sha256:0"))
      const drifted = yield* serving(place, args)
      assert.deepNestedInclude(yield* json(yield* send(drifted, uicp("^1.0.0"))), {
        "error.code": "C-CONTRACT-VERSION"
      })
    })
  )

  const write = (id: string, content: string) => ({
    request_id: id,
    agent: "writer",
    tool: { name: "write" },
    input: { path: "b.txt", content }
  })

  const approverToken = "approver-0123456789abcdef"

  const Waiting = Schema.Array(
    Schema.Struct({ id: Schema.String, tool: Schema.String, action: Schema.String, input: Schema.JsonObject })
  )

  it.live("asks an approver over HTTP, and lets the call go on when it is approved", () =>
    Effect.gen(function* () {
      const place = yield* project({})
      const url = yield* serving(place, ["--contract", "orloj", "--approver", "ada"], {
        HAFT_APPROVER_TOKEN: approverToken
      })
      const authorization = `Bearer ${approverToken}`
      const list = Effect.flatMap(
        Effect.promise((signal) => fetch(new URL("/approvals", url), { signal, headers: { authorization } })),
        json
      ).pipe(Effect.map(Schema.decodeUnknownSync(Waiting)))
      const decide = (id: string, decision: string) =>
        send(new URL(`/approvals/${id}`, url), { decision }, { authorization })
      const fiber = yield* Effect.forkChild(Effect.flatMap(send(url, write("w-1", "x")), json))
      const [pending] = yield* Effect.repeat(list, { until: ({ length }) => length === 1 })
      assert.deepInclude(pending, { tool: "write", input: { path: "b.txt", content: "x" } })
      assert.isFalse(existsSync(join(place.root, "b.txt")))
      assert.strictEqual((yield* send(new URL(`/approvals/${pending?.id}`, url), { decision: "approve" })).status, 401)
      assert.strictEqual((yield* decide(pending?.id ?? "", "approve")).status, 200)
      assert.deepInclude(yield* Fiber.join(fiber), { status: "ok" })
      assert.strictEqual(readFileSync(join(place.root, "b.txt"), "utf8"), "x")
      assert.strictEqual((yield* decide(pending?.id ?? "", "deny")).status, 409)
    })
  )

  it.live("judges by permission objects, and lets a person decide in another terminal", () =>
    Effect.gen(function* () {
      const objects = {
        tool_permissions: [
          { name: "look", tool_ref: "read", operation_rules: [{ operation_class: "*", verdict: "approval_required" }] }
        ],
        agent_policies: [{ name: "frozen", blocked_tools: ["write"], target_agents: ["writer"] }]
      }
      const place = yield* project({ "a.txt": "hello", "permissions.json": JSON.stringify(objects) })
      const url = yield* serving(place, [
        "--contract",
        "orloj",
        "--approver",
        "ada",
        "--permissions",
        "permissions.json"
      ])
      assert.deepNestedInclude(yield* json(yield* send(url, write("w", "x"))), {
        status: "denied",
        "error.code": "permission_denied",
        "error.details.rule": "frozen"
      })
      const empty = yield* place.haft(["approvals"])
      assert.include(empty.out, "Nothing waits")
      const answers = yield* Effect.forEach(["r-1", "r-2"], (request_id) =>
        Effect.forkChild(Effect.flatMap(send(url, orloj("a.txt", { request_id })), json))
      )
      const list = Effect.map(place.haft(["approvals", "--json"]), ({ out }) =>
        Schema.decodeUnknownSync(Waiting)(JSON.parse(out))
      )
      const waiting = yield* Effect.repeat(list, { until: ({ length }) => length === 2 })
      assert.deepInclude(waiting[0], { tool: "read", action: "invoke", input: { path: "a.txt" } })
      const shown = yield* place.haft(["approvals"])
      for (const { id } of waiting) assert.include(shown.out, id)
      const [first, second] = waiting.map(({ id }) => id)
      const approved = yield* place.haft(["approvals", "approve", first ?? ""], { env: { USER: "eve" } })
      assert.deepStrictEqual([approved.code, approved.out.includes("Approved")], [0, true])
      const denied = yield* place.haft(["approvals", "deny", second ?? "", "--feedback", "not today"])
      assert.strictEqual(denied.code, 0)
      const told = yield* Effect.forEach(answers, Fiber.join)
      assert.sameMembers(
        told.map((answer) => Schema.decodeUnknownSync(Schema.Struct({ status: Schema.String }))(answer).status),
        ["ok", "denied"]
      )
      assert.include(JSON.stringify(told), "not today")
      const late = yield* place.haft(["approvals", "approve", second ?? ""])
      assert.strictEqual(late.code, 2)
      const unknown = yield* place.haft(["approvals", "deny", "apr_unknown"])
      assert.deepStrictEqual([unknown.code, unknown.err.includes("apr_unknown")], [2, true])
    })
  )

  it.live("does not start with permission objects that are wrong, or with approvers who are callers", () =>
    Effect.gen(function* () {
      const { haft, root } = yield* project({ "p.json": '{"tool_permissions": [{"verdict": 1}]}' })
      const args = ["serve", "--contract", "orloj"]
      const wrong = yield* haft([...args, "--permissions", join(root, "p.json")], { env: { HAFT_TOKEN: token } })
      assert.deepStrictEqual([wrong.code, wrong.err.includes("tool_permissions[0]")], [2, true])
      const env = { HAFT_TOKEN: token, HAFT_APPROVER_TOKEN: token }
      const same = yield* haft([...args, "--approver", "ada"], { env })
      assert.deepStrictEqual([same.code, same.err.includes("HAFT_APPROVER_TOKEN")], [2, true])
      const mcp = yield* haft(["serve", "--approver", "ada"])
      assert.deepStrictEqual([mcp.code, mcp.err.includes("--contract")], [2, true])
    })
  )

  it.live("does not start without manifests that it was told to use, or with a token that anybody could guess", () =>
    Effect.gen(function* () {
      const { haft } = yield* project()
      const args = ["serve", "--contract", "uicp"]
      const empty = yield* haft([...args, "--manifests", "none"], { env: { HAFT_TOKEN: token } })
      assert.deepStrictEqual([empty.code, empty.err.includes("haft manifest --write")], [2, true])
      const weak = yield* haft(args, { env: { HAFT_TOKEN: "12345678" } })
      assert.deepStrictEqual([weak.code, weak.err.includes("16")], [2, true])
    })
  )
})
