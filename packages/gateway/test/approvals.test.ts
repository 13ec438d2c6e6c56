import { assert, describe, it } from "@effect/vitest"
import { Audit, Authorizer, Gateway } from "@haft/gateway"
import { Approvals } from "@haft/policy"
import type { CallRequest, Outcome } from "@haft/wire"
import { Clock, Deferred, Effect, Fiber, Queue, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { spawn } from "node:child_process"
import * as Fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Readline from "node:readline"
import { fileURLToPath } from "node:url"
import * as Approving from "./support/approving.ts"
import { chain, counted, request } from "./support/governing.ts"

const echo = () => counted({ determinism: "side_effectful" }, ({ text }) => Effect.succeed(text))

/** Makes a call and gives what somebody is asked about it. */
const asked = Effect.fnUntraced(function* (
  heard: Queue.Dequeue<Approvals.Pending>,
  more: Partial<CallRequest.CallRequest> = {}
) {
  const gateway = yield* Gateway.Service
  const fiber = yield* Effect.forkChild(gateway.call(request(more)), { startImmediately: true })
  return { fiber, pending: yield* Queue.take(heard) }
})

const decide = (pending: Approvals.Pending, reply: Approvals.Reply) =>
  Effect.flatMap(Approvals.Service, (approvals) => approvals.reply(pending, reply))

const tagOf = ({ leaf }: Outcome.Outcome): string => leaf._tag

const minutes = (count: number) => count * 60_000

describe("an approval", () => {
  it.effect("M35: is refused a moment after its ten minutes, and the call is told so", () => {
    const { calls, tool } = echo()
    return Effect.gen(function* () {
      yield* Approving.register(tool)
      const heard = yield* Approving.pendings
      const { fiber, pending } = yield* asked(heard)
      yield* TestClock.adjust(minutes(10) + 1)
      const reply = yield* Effect.flip(decide(pending, Approvals.once))
      assert.deepInclude(reply, { _tag: "Approvals.EndedError", as: "expired" })
      const outcome = yield* Fiber.join(fiber)
      assert.deepInclude(outcome.leaf, {
        _tag: "Denied.ApprovalExpired",
        approvalId: pending.id,
        expiredAt: minutes(10)
      })
      assert.deepStrictEqual([outcome.effect._tag, outcome.attempts.length, calls()], ["NotStarted", 0, 0])
      // A moment before, it still counts.
      const intime = yield* asked(heard)
      yield* TestClock.adjust(minutes(10) - 1)
      yield* decide(intime.pending, Approvals.once)
      assert.strictEqual(tagOf(yield* Fiber.join(intime.fiber)), "Success.Effect")
    }).pipe(Effect.scoped, Effect.provide(Approving.layerMemory()))
  })

  it.effect("M36: is bound to tool, definition, input, principals and rules, and to nothing that is only shown", () => {
    const state = { version: "1" }
    const authorizer: Authorizer.Interface = {
      ...Approving.careful,
      get version() {
        return state.version
      }
    }
    const first = { idempotencyKey: "k", principalChain: chain }
    return Effect.gen(function* () {
      yield* Approving.register(echo().tool)
      const heard = yield* Approving.pendings
      const bindingOf = Effect.fnUntraced(function* (more: Partial<CallRequest.CallRequest>) {
        const { fiber, pending } = yield* asked(heard, { ...first, ...more })
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(pending.input, more.input ?? { text: "x" }, "the approver sees what runs")
        return pending.binding
      })
      const binding = yield* bindingOf({})
      const trace = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736" }
      const shown = { trace, locale: "de", timezone: "Europe/Berlin", metadata: { note: "please" }, timeoutMs: 5 }
      assert.strictEqual(yield* bindingOf(shown), binding)
      const others: ReadonlyArray<Partial<CallRequest.CallRequest>> = [
        { input: { text: "y" } },
        { actor: "agent-2" },
        { tenantId: "tenant-2" },
        { principalChain: [...chain, { kind: "agent", id: "agent-2" }] },
        { callId: "another" },
        { idempotencyKey: "another" }
      ]
      for (const other of others) assert.notStrictEqual(yield* bindingOf(other), binding, JSON.stringify(other))
      state.version = "2"
      assert.notStrictEqual(yield* bindingOf({}), binding, "other rules")
      state.version = "1"
      assert.strictEqual(yield* bindingOf({}), binding)
      yield* Approving.register(Approving.acting("nowhere"))
      assert.notStrictEqual(yield* bindingOf({}), binding, "another definition")
    }).pipe(Effect.scoped, Effect.provide(Approving.layerMemory(authorizer)))
  })

  it.effect("M36: that was given while the rules changed is asked for again under the new ones", () => {
    const { calls, tool } = echo()
    const state = { version: "1" }
    const authorizer: Authorizer.Interface = {
      ...Approving.careful,
      get version() {
        return state.version
      }
    }
    return Effect.gen(function* () {
      yield* Approving.register(tool)
      const heard = yield* Approving.pendings
      const { fiber, pending } = yield* asked(heard)
      state.version = "2"
      yield* decide(pending, Approvals.once)
      const second = yield* Queue.take(heard)
      assert.deepStrictEqual([second.request.metadata["policyVersion"], calls()], ["2", 0])
      yield* decide(second, Approvals.reject())
      assert.deepStrictEqual([tagOf(yield* Fiber.join(fiber)), calls()], ["Denied.Approver", 0])
    }).pipe(Effect.scoped, Effect.provide(Approving.layerMemory(authorizer)))
  })

  it.effect("M37: is good for one execution, and is on the record with what it was given for", () => {
    const { calls, tool } = echo()
    return Effect.gen(function* () {
      yield* Approving.register(tool)
      const heard = yield* Approving.pendings
      const first = yield* asked(heard)
      yield* decide(first.pending, Approvals.once)
      const outcome = yield* Fiber.join(first.fiber)
      assert.deepStrictEqual([tagOf(outcome), calls()], ["Success.Effect", 1])
      const second = yield* asked(heard)
      assert.notStrictEqual(second.pending.id, first.pending.id, "the same call needs another one")
      yield* decide(second.pending, Approvals.reject("enough"))
      assert.deepInclude((yield* Fiber.join(second.fiber)).leaf, { _tag: "Denied.Approver", feedback: "enough" })
      assert.strictEqual(calls(), 1)
      const [entry] = yield* Effect.flatMap(Audit.Service, (audit) => audit.find("call"))
      assert.deepNestedInclude(entry, { "closing.approvals[0].gate_id": first.pending.id })
      assert.match(JSON.stringify(entry), /"evidence_snapshot_hash":"sha256:[0-9a-f]{64}"/)
      assert.deepNestedInclude(entry, { "closing.controls_active.approval_gates_active": ["gate-1"] })
    }).pipe(Effect.scoped, Effect.provide(Approving.layerMemory()))
  })

  it.effect("M38: of approving and denying at once one wins, and the other learns that it came too late", () => {
    const { calls, tool } = echo()
    return Effect.gen(function* () {
      yield* Approving.register(tool)
      const heard = yield* Approving.pendings
      for (let round = 0; round < 20; round++) {
        const before = calls()
        const { fiber, pending } = yield* asked(heard, { callId: `call-${round}` })
        const replies = round % 2 === 0 ? [Approvals.once, Approvals.reject()] : [Approvals.reject(), Approvals.once]
        const exits = yield* Effect.forEach(replies, (reply) => Effect.result(decide(pending, reply)), {
          concurrency: "unbounded"
        })
        assert.sameMembers(
          exits.map((exit) => (exit._tag === "Failure" ? exit.failure._tag : "won")),
          ["won", "Approvals.EndedError"]
        )
        const approved = exits[round % 2]?._tag === "Success"
        const outcome = yield* Fiber.join(fiber)
        assert.strictEqual(tagOf(outcome), approved ? "Success.Effect" : "Denied.Approver")
        assert.strictEqual(calls() - before, approved ? 1 : 0)
      }
    }).pipe(Effect.scoped, Effect.provide(Approving.layerMemory()))
  })

  it.effect("M39: costs the call no time, and what is forbidden meanwhile stays so", () => {
    const { calls, tool } = echo()
    const verdicts = [
      Authorizer.ask("risky"),
      Authorizer.deny({ _tag: "Denied.Permission", message: "not any more" }, ["rule-2"])
    ]
    const authorizer = { authorize: () => Effect.sync(() => verdicts.shift() ?? Authorizer.ask("risky")) }
    return Effect.gen(function* () {
      yield* Approving.register(tool)
      const heard = yield* Approving.pendings
      const refused = yield* asked(heard)
      yield* decide(refused.pending, Approvals.once)
      assert.strictEqual(tagOf(yield* Fiber.join(refused.fiber)), "Denied.Permission")
      assert.strictEqual(calls(), 0)
      const { fiber, pending } = yield* asked(heard, { timeoutMs: 100 })
      yield* TestClock.adjust(minutes(9))
      yield* decide(pending, Approvals.once)
      const outcome = yield* Fiber.join(fiber)
      assert.deepStrictEqual([tagOf(outcome), outcome.attempts.length, calls()], ["Success.Effect", 1, 1])
    }).pipe(Effect.scoped, Effect.provide(Approving.layerMemory(authorizer)))
  })

  it.effect("M39: that is waited for does not look like the call of a process that died", () => {
    const { tool } = echo()
    return Effect.gen(function* () {
      yield* Approving.register(tool)
      const heard = yield* Approving.pendings
      const { fiber, pending } = yield* asked(heard)
      yield* TestClock.adjust(minutes(9))
      assert.strictEqual(yield* Effect.flatMap(Gateway.Service, (gateway) => gateway.recover), 0)
      yield* decide(pending, Approvals.once)
      assert.strictEqual(tagOf(yield* Fiber.join(fiber)), "Success.Effect")
    }).pipe(Effect.scoped, Effect.provide(Approving.layerMemory()))
  })

  it.effect("that comes after the call's own deadline lets nothing run, and the account says so", () => {
    const { calls, tool } = echo()
    return Effect.gen(function* () {
      yield* Approving.register(tool)
      const heard = yield* Approving.pendings
      const { fiber, pending } = yield* asked(heard, { deadlineUnixMs: 1000 })
      yield* TestClock.adjust(minutes(5))
      assert.strictEqual(yield* Effect.flatMap(Gateway.Service, (gateway) => gateway.recover), 0)
      yield* decide(pending, Approvals.once)
      assert.strictEqual(tagOf(yield* Fiber.join(fiber)), "TimedOut.EffectNone")
      assert.strictEqual(calls(), 0)
      const [entry] = yield* Effect.flatMap(Audit.Service, (audit) => audit.find("call"))
      assert.deepNestedInclude(entry, { "closing.status": "DECIDED", "closing.outputs.effect": "NotStarted" })
    }).pipe(Effect.scoped, Effect.provide(Approving.layerMemory()))
  })
})

const program = fileURLToPath(new URL("fixtures/approved.ts", import.meta.url))

const directory = Effect.acquireRelease(
  Effect.sync(() => Fs.mkdtempSync(join(tmpdir(), "haft-approved-"))),
  (path) => Effect.sync(() => Fs.rmSync(path, { recursive: true }))
)

/** A process that asked for an approval and is dead. Gives the id of what it asked. */
const dead = Effect.fnUntraced(function* (path: string, mode: "wait" | "act") {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, [program, path, mode], { stdio: ["ignore", "pipe", "inherit"] })),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  const lines = yield* Queue.unbounded<string>()
  Readline.createInterface({ input: child.stdout }).on("line", (line) => Queue.offerUnsafe(lines, line))
  const exited = yield* Deferred.make<void>()
  child.once("exit", () => Deferred.doneUnsafe(exited, Effect.void))
  const id = yield* Queue.take(lines)
  if (mode === "wait") child.kill("SIGKILL")
  yield* Deferred.await(exited)
  return id
})

/** The next process on the same stores, so much later. */
const next = <A, E>(
  path: string,
  laterMs: number,
  effect: Effect.Effect<A, E, Gateway.Service | Approvals.Service | Audit.Service | Scope.Scope>
) =>
  Effect.andThen(Approving.register(Approving.acting(path)), effect).pipe(
    Effect.scoped,
    Effect.provide(Approving.layerIn(path)),
    Effect.updateService(Clock.Clock, (clock) => Approving.later(clock, laterMs))
  )

const linesIn = (path: string) =>
  Fs.existsSync(Approving.effectsOf(path))
    ? Fs.readFileSync(Approving.effectsOf(path), "utf8").split("\n").length - 1
    : 0

describe("a process that is killed", () => {
  it.live("M39: while it waits leaves its question, and the answer lets the same call run once", () =>
    Effect.gen(function* () {
      const path = yield* directory
      const id = yield* dead(path, "wait")
      assert.strictEqual(linesIn(path), 0)
      const outcome = yield* next(
        path,
        1000,
        Effect.gen(function* () {
          const heard = yield* Approving.pendings
          const pending = yield* Queue.take(heard)
          assert.deepStrictEqual([pending.id, pending.isWaiting], [id, false])
          yield* decide(pending, Approvals.once)
          const gateway = yield* Gateway.Service
          return yield* gateway.call(request({ idempotencyKey: "key-1" }))
        })
      )
      assert.deepStrictEqual([tagOf(outcome), linesIn(path)], ["Success.Effect", 1])
    })
  )

  it.live("M37: between the effect and its record has done nobody knows what, and it is not done again", () =>
    Effect.gen(function* () {
      const path = yield* directory
      yield* dead(path, "act")
      assert.strictEqual(linesIn(path), 1)
      const outcomes = yield* next(
        path,
        minutes(15),
        Effect.gen(function* () {
          const gateway = yield* Gateway.Service
          const call = gateway.call(request({ idempotencyKey: "key-1" }))
          const recovered = yield* gateway.recover
          const [entry] = yield* Effect.flatMap(Audit.Service, (audit) => audit.find("call"))
          assert.deepStrictEqual([recovered, entry?.closing !== undefined], [1, true])
          return [yield* call, yield* call]
        })
      )
      for (const outcome of outcomes) {
        assert.deepStrictEqual([tagOf(outcome), outcome.effect._tag], ["Operational.Defect", "Unknown"])
      }
      assert.strictEqual(linesIn(path), 1)
    })
  )
})
