import { assert, describe, it } from "@effect/vitest"
import { SideEffect } from "@haft/core"
import { ContextOs, Leaf, Orloj, Osaurus, Outcome, type Retry, Uicp } from "@haft/wire"
import { Arbitrary, Schema } from "effect"
// @ts-expect-error -- Tests are not emitted, so the path that could not be rewritten never is.
import { effectsOf } from "../src/internal/effects.ts"
// @ts-expect-error -- Tests are not emitted, so the path that could not be rewritten never is.
import { prepared, textOf } from "../src/internal/sentences.ts"
import { outcomes } from "./support/outcomes.ts"
import { rowOf, table } from "./support/table.ts"

const codec = Orloj.make()

const runs = { arbitrary: { runs: 10, size: 5 } }

/** What an outcome looks like to the four contracts. */
const shown = (outcome: Outcome.Outcome) => {
  const orloj = codec.encode(outcome)
  const osaurus = Osaurus.encode(outcome, { operational: "surface" })
  return {
    orloj: orloj._tag === "Envelope" ? orloj.envelope : undefined,
    uicp: Uicp.encode(outcome),
    contextos: ContextOs.encode(outcome),
    osaurus: osaurus._tag === "Envelope" ? osaurus.envelope : undefined
  }
}

const isRepeated = ({ runtime }: Retry.Retry): boolean => runtime !== "never"

const classOf = (code: string): string => code.split("-").slice(0, 2).join("-")

describe("the table of outcomes", () => {
  it("has a row for each leaf, in the same order", () => {
    assert.deepStrictEqual(
      table.outcomes.map(({ tag }) => tag),
      [...Leaf.tags]
    )
    assert.strictEqual(Leaf.tags.length, 37)
  })

  it.each(table.outcomes)("names the effects that $tag can have", ({ effects, tag }) => {
    assert.deepStrictEqual(effectsOf[tag], effects)
  })

  it.each(table.outcomes)("has the words of $tag", ({ tag, text }) => {
    assert.deepStrictEqual(tag === "Prepared" ? prepared : textOf(tag), text ?? {})
  })

  it.each(table.outcomes)("says when $tag is repeated, as long as nothing else is known", (row) => {
    const leaf = sample(row.tag)
    const { retry } = Outcome.make({ leaf, effect: SideEffect.none, call: { callId: "", toolName: "" } })
    const runtime = row.retry.runtime === "declared" ? "never" : row.retry.runtime
    assert.deepStrictEqual(retry, { runtime, model: row.retry.model })
  })
})

/** A leaf with nothing in it that it could do without. */
const sample = (tag: Leaf.Tag): Leaf.Leaf => {
  const given = {
    approvalId: "a",
    requestId: "r",
    name: "n",
    violations: [],
    advertised: "x",
    range: "1.x",
    candidates: [],
    field: "f",
    expected: "v1",
    received: "v2",
    key: "k",
    origin: "gate",
    by: tag === "Interrupted" ? "caller" : "policy",
    boundBy: "call",
    ref: "s",
    secretRef: "s",
    mode: "m",
    what: "w",
    commitToken: "t"
  } as const
  return Leaf.make(tag, given)
}

/** Of Osaurus' flag: the contract's own default, and a credential that was renewed. */
const flagExceptions = new Set<Leaf.Tag>(["Failure.NotFound", "Failure.AuthExpired"])

const assertOsaurus = (envelope: Osaurus.Envelope | undefined, { leaf, retry }: Outcome.Outcome): void => {
  const row = rowOf(leaf._tag)
  assert.strictEqual(envelope?.ok, row.osaurus.ok)
  if (envelope === undefined || envelope.ok) return
  assert.strictEqual(envelope.kind, row.osaurus.kind)
  if (Leaf.adviceOf(leaf)?.model !== undefined || flagExceptions.has(leaf._tag) || retry.model === "n/a") return
  assert.strictEqual(envelope.retryable, ["yes", "correctable", "next-turn"].includes(retry.model))
}

const assertUicp = (envelope: Uicp.Response, { leaf, retry }: Outcome.Outcome): void => {
  assert.include(table.vocabulary.uicpStatus, envelope.status)
  if ("error" in envelope) assert.include(table.vocabulary.uicpClass, classOf(envelope.error.code))
  const mayPromise = leaf._tag !== "Failure.AuthExpired"
  assert.strictEqual(envelope.status === "retryable_error", isRepeated(retry) && mayPromise)
}

describe.each(Leaf.tags)("%s, whatever else is true of the call,", (tag) => {
  const row = rowOf(tag)

  it.prop(
    "is shown with its status, its code and a flag that says whether it may be repeated",
    [outcomes(tag)],
    ([{ outcome }]) => {
      const { contextos, orloj, osaurus, uicp } = shown(outcome)
      assert.strictEqual(orloj?.status, row.orloj.status)
      if (orloj !== undefined && orloj.status !== "ok") {
        assert.deepStrictEqual([orloj.error.code, orloj.error.reason], [row.orloj.code, row.orloj.reason])
        assert.strictEqual(orloj.error.retryable, isRepeated(outcome.retry))
      }
      assert.strictEqual(contextos.status, row.contextos.status)
      assert.strictEqual(contextos.error?.code ?? null, row.contextos.errorCode)
      if (contextos.error !== null) assert.strictEqual(contextos.error.retryable, isRepeated(outcome.retry))
      assertOsaurus(osaurus, outcome)
      assertUicp(uicp, outcome)
    },
    runs
  )

  it.prop(
    "is never repeated by the runtime where a repeat could do something twice",
    [outcomes(tag)],
    ([{ outcome, repeating }]) => {
      const isPossible = outcome.effect._tag === "Committed" || outcome.effect._tag === "Unknown"
      const isSafe = repeating.determinism === "pure" || (repeating.determinism === "idempotent" && repeating.hasKey)
      if (isPossible && !isSafe && tag !== "Pending.External") assert.strictEqual(outcome.retry.runtime, "never")
    },
    runs
  )
})

describe("every word of a contract is reached", () => {
  const all = Leaf.tags.map((tag) =>
    shown(Outcome.make({ leaf: sample(tag), effect: SideEffect.none, call: { callId: "", toolName: "" } }))
  )
  const reached = (words: ReadonlyArray<string | undefined>) => [...new Set(words.filter((word) => word !== undefined))]

  it("of Orloj: statuses, codes and reasons", () => {
    const errors = all.flatMap(({ orloj }) => (orloj === undefined || orloj.status === "ok" ? [] : [orloj.error]))
    assert.sameMembers(reached(all.map(({ orloj }) => orloj?.status)), [...table.vocabulary.orlojStatus])
    assert.sameMembers(reached(errors.map(({ code }) => code)), [...table.vocabulary.orlojCode])
    assert.sameMembers(reached(errors.map(({ reason }) => reason)), [...table.vocabulary.orlojReason])
  })

  it("of uicp: statuses and classes", () => {
    const codes = all.flatMap(({ uicp }) => ("error" in uicp ? [classOf(uicp.error.code)] : []))
    assert.sameMembers(reached(all.map(({ uicp }) => uicp.status)), [...table.vocabulary.uicpStatus])
    assert.sameMembers(reached(codes), [...table.vocabulary.uicpClass])
  })

  it("of ContextOS: statuses", () => {
    assert.sameMembers(reached(all.map(({ contextos }) => contextos.status)), [...table.vocabulary.contextosStatus])
  })

  it("of Osaurus: kinds", () => {
    const kinds = all.map(({ osaurus }) => (osaurus?.ok === false ? osaurus.kind : undefined))
    assert.sameMembers(reached(kinds), [...table.vocabulary.osaurusKind])
  })
})

/** The same envelope, and once more without its slot. */
const finals = (outcome: Outcome.Outcome): ReadonlyArray<Retry.Retry> => {
  const { contextos, orloj, uicp } = shown(outcome)
  const read = { access: "read", determinism: "pure" } as const
  const answers = []
  if (orloj !== undefined && orloj.status !== "ok" && !orloj.error.retryable) {
    answers.push(codec.decode(orloj, read), codec.decode({ ...orloj, haft: null }, read))
  }
  if (contextos.error?.retryable === false) {
    answers.push(ContextOs.decode(contextos, read), ContextOs.decode({ ...contextos, metadata: {} }, read))
  }
  if (uicp.status === "terminal_error" || uicp.status === "invalid_request") {
    answers.push(Uicp.decode({ ...uicp, provenance: {} }, read))
  }
  return answers.map(({ retry }) => retry)
}

describe("an answer that its sender called final", () => {
  const any = Arbitrary.flatMap(Arbitrary.schema(Schema.Literals(Leaf.tags)), outcomes)

  it.prop(
    "is never repeated by the runtime, with or without its slot",
    [any],
    ([{ outcome }]) => {
      for (const { runtime } of finals(outcome)) assert.strictEqual(runtime, "never")
    },
    { arbitrary: { runs: 300, size: 5 } }
  )
})
