import { assert, describe, it } from "@effect/vitest"
import { Location, Permission } from "@haft/core"
import { ApprovalDesk, ApprovalGate, Audit, Authorizer, Gateway, Secrets } from "@haft/gateway"
import * as Http from "@haft/gateway/http"
import * as NodeHttpServer from "@haft/node/NodeHttpServer"
import { Permissions, PolicyStore } from "@haft/policy"
import * as Testing from "@haft/registry/testing"
import { Effect, Exit, Fiber, Layer, Logger, Option, Redacted, Schema } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import * as Approving from "./support/approving.ts"
import { counted, type Counted, layerCatalog } from "./support/governing.ts"

const caller = "caller-0123456789abcdef"
const ada = "approver-ada-0123456789"
const bob = "approver-bob-0123456789"

const options: Http.ApprovalOptions = {
  contract: "orloj",
  tokens: [{ token: Redacted.make(caller), actor: "agent-1", tenantId: "tenant-1" }],
  approvers: [
    { token: Redacted.make(ada), name: "ada" },
    { token: Redacted.make(bob), name: "bob", tenantId: "tenant-2" }
  ]
}

const secret = "s3cret-value-of-a-vault"

/** The desk is all there is of a person: without it, whoever asks would be refused at once. */
const layer = (given: Http.ApprovalOptions) =>
  HttpRouter.serve(Http.layerWithApprovals(given), { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provideMerge(Gateway.layerMemory()),
    Layer.provide(
      Layer.merge(
        Layer.effect(
          ApprovalGate.Service,
          Effect.map(Permission.Service, (permission) => ApprovalGate.fromPermission(permission))
        ),
        Layer.succeed(Authorizer.Service, Approving.careful)
      )
    ),
    Layer.provideMerge(Permissions.layer({ location: Location.Ref.make("/project") })),
    Layer.provideMerge(PolicyStore.layerMemory),
    Layer.provideMerge(Secrets.layer(() => Effect.succeed(Option.some(Redacted.make(secret))))),
    Layer.provideMerge(layerCatalog),
    Layer.provideMerge(Testing.layer),
    Layer.provideMerge(NodeHttpServer.layer({ port: 0 })),
    Layer.provide([HttpServer.layerServices, Logger.layer([])])
  )

interface Client {
  readonly call: (id: string, text?: string) => Effect.Effect<unknown>
  readonly list: (token?: string) => Effect.Effect<ReadonlyArray<ApprovalDesk.Waiting>>
  readonly decide: (id: string, body: unknown, token?: string) => Effect.Effect<Response>
  readonly send: (path: string, init?: RequestInit) => Effect.Effect<Response>
}

const json = (response: Response) => Effect.promise(async (): Promise<unknown> => response.json())

const decodeList = Schema.decodeUnknownSync(Schema.Array(ApprovalDesk.Waiting))

const headers = (token: string) => ({ authorization: `Bearer ${token}`, "content-type": "application/json" })

const serving = <A, E, R>({ tool }: Counted, test: (client: Client) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    yield* Approving.register(tool)
    const base = HttpServer.formatAddress((yield* HttpServer.HttpServer).address)
    const send: Client["send"] = (path, init = {}) =>
      Effect.promise((signal) => fetch(`${base}${path}`, { signal, ...init }))
    return yield* test({
      send,
      call: (request_id, text = "x") => {
        const body = JSON.stringify({ request_id, tool: { name: "tool" }, input: { text } })
        return Effect.flatMap(send(Http.paths.orloj, { method: "POST", body, headers: headers(caller) }), json)
      },
      list: (token = ada) =>
        Effect.map(Effect.flatMap(send(Http.approvalsPath, { headers: headers(token) }), json), (list) =>
          decodeList(list)
        ),
      decide: (id, body, token = ada) =>
        send(`${Http.approvalsPath}/${id}`, {
          method: "POST",
          body: typeof body === "string" ? body : JSON.stringify(body),
          headers: headers(token)
        })
    })
  }).pipe(Effect.scoped, Effect.provide(layer(options)))

/** Looks until somebody waits: a call comes to its question by itself. */
const waiting = ({ list }: Client, count = 1) => Effect.repeat(list(), { until: (pending) => pending.length === count })

const echo = () => counted({ determinism: "side_effectful" }, ({ text }) => Effect.succeed(text))

const approve = { decision: "approve" }

describe("approvals over HTTP", () => {
  it.live("show what waits, let it run once it is approved, and put the approver on the record", () => {
    const tool = echo()
    return serving(tool, (client) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* client.list(), [])
        const fiber = yield* Effect.forkChild(client.call("req-1", "hello"))
        const [pending] = yield* waiting(client)
        assert.deepInclude(pending, { tool: "tool", input: { text: "hello" }, action: "invoke", call_id: "req-1" })
        assert.deepInclude(pending?.details, {
          actor: "agent-1",
          tenant: "tenant-1",
          reason: "it is risky",
          rules: ["rule-1"]
        })
        assert.include(pending?.text, "hello")
        assert.strictEqual(tool.calls(), 0)
        const decided = yield* client.decide(pending?.id ?? "", approve)
        assert.strictEqual(decided.status, 200)
        assert.deepStrictEqual(yield* json(decided), { id: pending?.id, phase: "Approved", decided_by: "ada" })
        assert.deepInclude(yield* Fiber.join(fiber), { status: "ok", output: { result: "hello" } })
        assert.strictEqual(tool.calls(), 1)
        assert.deepStrictEqual(yield* client.list(), [])
        const [entry] = yield* Effect.flatMap(Audit.Service, (audit) => audit.find("req-1"))
        assert.deepNestedInclude(entry, {
          "closing.approvals[0].approver": "ada",
          "closing.approvals[0].gate_id": pending?.id
        })
      })
    )
  })

  it.live("tell the caller what somebody who refuses wants instead", () => {
    const tool = echo()
    return serving(tool, (client) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(client.call("req-1"))
        const [pending] = yield* waiting(client)
        const decided = yield* client.decide(pending?.id ?? "", { decision: "deny", feedback: "ask me tomorrow" })
        assert.deepInclude(yield* json(decided), { phase: "Denied" })
        assert.deepNestedInclude(yield* Fiber.join(fiber), {
          status: "denied",
          "error.code": "approval_denied",
          "error.details.feedback": "ask me tomorrow"
        })
        assert.strictEqual(tool.calls(), 0)
      })
    )
  })

  it.live("M38: of approving and denying at once one wins, and the other gets 409; an unknown one is 404", () => {
    const tool = echo()
    return serving(tool, (client) =>
      Effect.gen(function* () {
        const rounds = 20
        for (let round = 0; round < rounds; round++) {
          const fiber = yield* Effect.forkChild(client.call(`req-${round}`))
          const [pending] = yield* waiting(client)
          const id = pending?.id ?? ""
          const answers = yield* Effect.forEach(
            round % 2 === 0 ? ["approve", "deny"] : ["deny", "approve"],
            (decision) => Effect.map(client.decide(id, { decision }), (response) => ({ decision, response })),
            { concurrency: "unbounded" }
          )
          assert.sameMembers(
            answers.map(({ response }) => response.status),
            [200, 409]
          )
          const winner = answers.find(({ response }) => response.status === 200)?.decision
          const loser = answers.find(({ response }) => response.status === 409)?.response
          assert.deepStrictEqual(loser === undefined ? {} : yield* json(loser), { id, ended: "answered" })
          assert.deepInclude(yield* Fiber.join(fiber), { status: winner === "approve" ? "ok" : "denied" })
          assert.strictEqual((yield* client.decide(id, approve)).status, 409, "and later, too")
        }
        const unknown = "apr_00000000-0000-4000-8000-000000000000"
        assert.strictEqual((yield* client.decide(unknown, approve)).status, 404)
        assert.strictEqual((yield* client.decide("..%2fcalls", approve)).status, 404)
        assert.isAtMost(tool.calls(), rounds)
      })
    )
  })

  it.live("are nothing for whoever calls, and of another tenant as good as unknown", () => {
    const tool = echo()
    return serving(tool, (client) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(client.call("req-1"))
        const [pending] = yield* waiting(client)
        const id = pending?.id ?? ""
        for (const token of [caller, "", `${ada}x`]) {
          assert.strictEqual((yield* client.send(Http.approvalsPath, { headers: headers(token) })).status, 401)
          assert.strictEqual((yield* client.decide(id, approve, token)).status, 401)
        }
        assert.deepStrictEqual(yield* client.list(bob), [])
        assert.strictEqual((yield* client.decide(id, approve, bob)).status, 404)
        const body = JSON.stringify({ request_id: "r", tool: { name: "tool" }, input: { text: "x" } })
        const called = yield* client.send(Http.paths.orloj, { method: "POST", body, headers: headers(ada) })
        assert.strictEqual(called.status, 401, "an approver does not call")
        assert.strictEqual(tool.calls(), 0)
        assert.strictEqual((yield* client.decide(id, approve)).status, 200)
        yield* Fiber.join(fiber)
      })
    )
  })

  it.live("are not decided by what is no decision", () => {
    const tool = echo()
    return serving(tool, (client) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(client.call("req-1"))
        const [pending] = yield* waiting(client)
        const id = pending?.id ?? ""
        const bad: ReadonlyArray<readonly [unknown, number]> = [
          ["{", 400],
          [{}, 400],
          [{ decision: "maybe" }, 400],
          [{ ...approve, always: true }, 400],
          ['{"decision":"deny","decision":"approve"}', 400],
          [{ decision: "deny", feedback: "x".repeat(ApprovalDesk.maxFeedbackLength + 1) }, 400],
          [{ decision: "deny", feedback: "x".repeat(100_000) }, 413]
        ]
        for (const [body, status] of bad) assert.strictEqual((yield* client.decide(id, body)).status, status)
        const plain = yield* client.send(`${Http.approvalsPath}/${id}`, {
          method: "POST",
          body: JSON.stringify(approve),
          headers: { ...headers(ada), "content-type": "text/plain" }
        })
        assert.strictEqual(plain.status, 415)
        assert.deepStrictEqual([(yield* client.list()).length, tool.calls()], [1, 0])
        yield* client.decide(id, { decision: "deny" })
        yield* Fiber.join(fiber)
      })
    )
  })

  it.live("show no secret that was handed out", () =>
    serving(echo(), (client) =>
      Effect.gen(function* () {
        yield* Effect.flatMap(Secrets.Service, (secrets) => secrets.resolve("vault"))
        const fiber = yield* Effect.forkChild(client.call("req-1", `use ${secret}`))
        const [pending] = yield* waiting(client)
        assert.notInclude(JSON.stringify(pending), secret)
        assert.deepStrictEqual(pending?.input, { text: "use [REDACTED]" })
        yield* client.decide(pending?.id ?? "", { decision: "deny" })
        yield* Fiber.join(fiber)
      })
    )
  )

  it.live("of a call whose caller goes away wait no longer", () => {
    const tool = echo()
    return serving(tool, (client) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(client.call("req-1"))
        const [pending] = yield* waiting(client)
        yield* Fiber.interrupt(fiber)
        yield* waiting(client, 0)
        const late = yield* client.decide(pending?.id ?? "", approve)
        assert.deepStrictEqual([late.status, yield* json(late)], [409, { id: pending?.id, ended: "withdrawn" }])
        assert.strictEqual(tool.calls(), 0)
      })
    )
  })

  it.live("are described with everything else", () =>
    serving(echo(), (client) =>
      Effect.gen(function* () {
        const Document = Schema.Struct({ paths: Schema.Record(Schema.String, Schema.JsonObject) })
        const { paths } = Schema.decodeUnknownSync(Document)(yield* json(yield* client.send(Http.openapiPath)))
        assert.sameMembers(Object.keys(paths), [Http.paths.orloj, "/approvals", "/approvals/{id}"])
        const decide = Schema.decodeUnknownSync(
          Schema.Struct({ post: Schema.Struct({ responses: Schema.JsonObject, security: Schema.Json }) })
        )(paths["/approvals/{id}"])
        for (const status of ["200", "400", "401", "404", "409", "503"]) assert.property(decide.post.responses, status)
        assert.deepStrictEqual(decide.post.security, [{ approver: [] }])
      })
    )
  )

  it.live("are not served to somebody whose token also calls", () =>
    Effect.gen(function* () {
      const approvers = [{ token: Redacted.make(caller), name: "ada" }]
      const exit = yield* Effect.exit(Effect.scoped(Layer.build(layer({ ...options, approvers }))))
      assert.isTrue(Exit.isFailure(exit))
    })
  )
})
