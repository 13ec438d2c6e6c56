import { assert, describe, it } from "@effect/vitest"
import { Question, Questions } from "@haft/builtins"
import { Session } from "@haft/core"
import * as Testing from "@haft/core/testing"
import { Deferred, Effect, Exit, Fiber, Layer, Queue, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"

const which = {
  question: "Which database?",
  header: "Database",
  options: [{ label: "SQLite", description: "One file" }, { label: "Postgres" }]
}
const whatFor = { question: "What is it for?", options: [] }
const features = { question: "Which parts?", options: [{ label: "a" }, { label: "b" }], multiple: true, custom: false }

const call = Effect.fnUntraced(function* (questions: unknown) {
  return yield* Testing.call(yield* Question.make, { questions }, { name: "question" })
})

/** Everything that a host is told, as it is told. */
const watch = Effect.gen(function* () {
  const people = yield* Questions.Service
  const changes = yield* Queue.unbounded<Questions.Change>()
  const isListening = yield* Deferred.make<void>()
  yield* people.changes.pipe(
    Stream.onStart(Deferred.succeed(isListening, undefined)),
    Stream.runForEach((change) => Queue.offer(changes, change)),
    Effect.forkScoped({ startImmediately: true })
  )
  yield* Deferred.await(isListening)
  return changes
})

const nextPending = Effect.fnUntraced(function* (changes: Queue.Queue<Questions.Change>) {
  const change = yield* Queue.take(changes)
  return change._tag === "Asked" ? change.pending : yield* Effect.die(new Error(`${change.id} ended`))
})

/** Asks, and gives what waits for an answer. */
const asked = Effect.fnUntraced(function* (questions: unknown) {
  const changes = yield* watch
  const fiber = yield* Effect.forkChild(call(questions))
  return { changes, fiber, pending: yield* nextPending(changes), people: yield* Questions.Service }
})

const failureOf = Effect.fnUntraced(function* <A>(fiber: Fiber.Fiber<A, Testing.CallError>) {
  const error = yield* Effect.flip(Fiber.join(fiber))
  return error._tag === "ToolFailure" ? error : yield* Effect.die(error)
})

const live = Effect.provide(Questions.layer())

describe("a question", () => {
  it.effect("reaches a person, and the answer reaches the model", () =>
    Effect.gen(function* () {
      const { changes, fiber, pending, people } = yield* asked([which, whatFor, features])
      assert.deepStrictEqual(pending.questions, [which, whatFor, features])
      assert.deepStrictEqual(pending.context, Testing.context)
      const answers = [{ selected: ["Postgres"] }, { selected: [], custom: "a shop" }, { selected: ["b", "a"] }]
      yield* people.answer(pending, answers)
      const { output } = yield* Fiber.join(fiber)
      assert.deepStrictEqual(output.structured, { answers })
      assert.deepStrictEqual(output.content, [
        {
          _tag: "Text",
          text: [
            "Which database?\n- Postgres",
            "What is it for?\nIn the user's words: a shop",
            "Which parts?\n- b\n- a"
          ].join("\n\n")
        }
      ])
      assert.deepStrictEqual(yield* Queue.take(changes), { _tag: "Ended", id: pending.id, as: "answered" })
    }).pipe(Effect.scoped, live)
  )

  it.effect("without options is answered in words", () =>
    Effect.gen(function* () {
      const { fiber, pending, people } = yield* asked([{ question: "What is it for?" }])
      assert.deepStrictEqual(pending.questions, [whatFor])
      yield* people.answer(pending, [{ selected: [], custom: "a shop" }])
      const { output } = yield* Fiber.join(fiber)
      assert.deepStrictEqual(output.structured, { answers: [{ selected: [], custom: "a shop" }] })
    }).pipe(Effect.scoped, live)
  )

  it.effect("fails at once where nobody can be asked", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(call([which]))
      assert(error._tag === "ToolFailure")
      assert.deepStrictEqual(
        [error.reason._tag, error.message, error.hint],
        [
          "Unavailable",
          "Nobody is there to answer.",
          "Decide yourself what serves the user best, go on, and say what you assumed."
        ]
      )
    }).pipe(live)
  )

  it.effect("waits for a person to come if the host says so", () =>
    Effect.gen(function* () {
      const people = yield* Questions.Service
      const fiber = yield* Effect.forkChild(call([whatFor]), { startImmediately: true })
      const pending = yield* nextPending(yield* watch)
      yield* people.answer(pending, [{ selected: [], custom: "later" }])
      assert.deepStrictEqual((yield* Fiber.join(fiber)).returned, { answers: [{ selected: [], custom: "later" }] })
    }).pipe(Effect.scoped, Effect.provide(Questions.layer({ unattended: "wait" })))
  )

  it.effect("that a person does not want to answer tells the model what to do instead", () =>
    Effect.gen(function* () {
      const { fiber, pending, people } = yield* asked([which])
      yield* people.dismiss(pending, "Ask me tomorrow.")
      const { message, reason } = yield* failureOf(fiber)
      assert.deepStrictEqual(reason, { _tag: "Denied", by: "user", feedback: "Ask me tomorrow." })
      assert.strictEqual(message, "The user did not want to answer.")
    }).pipe(Effect.scoped, live)
  )

  it.effect("that no person can be asked is told apart from one that a person does not want to answer", () =>
    Effect.gen(function* () {
      const { fiber, pending, people } = yield* asked([which])
      yield* people.abandon(pending)
      const { hint, message, reason } = yield* failureOf(fiber)
      assert.deepStrictEqual([reason._tag, message], ["Unavailable", "Nobody is there to answer."])
      assert.include(hint, "Decide yourself")
      assert.deepStrictEqual(
        yield* Effect.flip(people.answer(pending, [])),
        new Questions.EndedError({ id: pending.id, as: "unattended" })
      )
    }).pipe(Effect.scoped, live)
  )

  it.effect("is over when its time is", () =>
    Effect.gen(function* () {
      const { changes, fiber, pending, people } = yield* asked([which])
      assert.strictEqual(pending.expiresAt - pending.askedAt, 3_600_000)
      yield* TestClock.adjust("1 hour")
      const { reason } = yield* failureOf(fiber)
      assert.deepStrictEqual(reason, { _tag: "TimedOut", boundBy: "idle", limitMs: 3_600_000 })
      assert.deepStrictEqual(yield* Queue.take(changes), { _tag: "Ended", id: pending.id, as: "expired" })
      const late = yield* Effect.flip(people.answer(pending, [{ selected: ["SQLite"] }]))
      assert.deepInclude(late, { _tag: "Questions.EndedError", as: "expired" })
    }).pipe(Effect.scoped, live)
  )

  it.effect("is withdrawn when its call is interrupted", () =>
    Effect.gen(function* () {
      const { changes, fiber, pending } = yield* asked([which])
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* Queue.take(changes), { _tag: "Ended", id: pending.id, as: "withdrawn" })
    }).pipe(Effect.scoped, live)
  )

  it.effect("ends when its Location closes, and whoever listens with it", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(Questions.layer(), scope)
      yield* Effect.gen(function* () {
        const { fiber } = yield* asked([which])
        yield* Scope.close(scope, Exit.void)
        assert.strictEqual((yield* failureOf(fiber)).reason._tag, "Unavailable")
        const people = yield* Questions.Service
        assert.deepStrictEqual(yield* Stream.runCollect(people.changes), [])
        const error = yield* Effect.flip(call([which]))
        assert.strictEqual(error.message, "The question was withdrawn because this place was closed.")
      }).pipe(Effect.scoped, Effect.provideContext(context))
    })
  )

  it.effect("changes nothing outside", () =>
    Effect.gen(function* () {
      const tool = yield* Question.make
      const { effect } = yield* Testing.observe(tool, { questions: [which] }, { name: "question" })
      assert.strictEqual(effect._tag, "None")
    }).pipe(live)
  )
})

describe("an answer", () => {
  it.effect("counts once, and only for its own session", () =>
    Effect.gen(function* () {
      const { fiber, pending, people } = yield* asked([which])
      const stranger = { id: pending.id, context: { sessionID: Session.ID.make("other") } }
      const foreign = yield* Effect.flip(people.answer(stranger, [{ selected: ["SQLite"] }]))
      assert.strictEqual(foreign._tag, "Questions.UnknownError")
      const exits = yield* Effect.forEach(
        ["SQLite", "Postgres", "SQLite"],
        (label) => Effect.exit(people.answer(pending, [{ selected: [label] }])),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, false])
      assert.deepStrictEqual((yield* Fiber.join(fiber)).returned, { answers: [{ selected: ["SQLite"] }] })
      const unknown = yield* Effect.flip(people.dismiss({ ...pending, id: "qst_none" }))
      assert.strictEqual(unknown._tag, "Questions.UnknownError")
    }).pipe(Effect.scoped, live)
  )

  it.effect.each([
    ["Missing", [{ selected: ["SQLite"] }]],
    ["Missing", [{ selected: [] }, { selected: ["a"] }]],
    ["Missing", [{ selected: [], custom: "  " }, { selected: ["a"] }]],
    ["TooMany", [{ selected: ["SQLite"] }, { selected: ["a"] }, { selected: ["a"] }]],
    ["UnknownOption", [{ selected: ["Oracle"] }, { selected: ["a"] }]],
    ["Several", [{ selected: ["SQLite", "Postgres"] }, { selected: ["a"] }]],
    ["Several", [{ selected: ["SQLite"], custom: "both" }, { selected: ["a"] }]],
    ["Several", [{ selected: ["SQLite"] }, { selected: ["a", "a"] }]],
    ["NotCustom", [{ selected: ["SQLite"] }, { selected: ["a"], custom: "c" }]],
    ["TooLong", [{ selected: [], custom: "x".repeat(20_001) }, { selected: ["a"] }]]
  ] as const)("that does not fit is refused as %s, and the question still waits", ([reason, answers]) =>
    Effect.gen(function* () {
      const { fiber, pending, people } = yield* asked([which, features])
      const error = yield* Effect.flip(people.answer(pending, answers))
      assert.deepInclude(error, { _tag: "Questions.InvalidAnswerError", reason })
      yield* people.answer(pending, [{ selected: ["SQLite"] }, { selected: ["a"] }])
      assert.deepStrictEqual((yield* Fiber.join(fiber)).returned.answers.length, 2)
    }).pipe(Effect.scoped, live)
  )
})

describe("what a model may ask", () => {
  const options = (count: number) => Array.from({ length: count }, (_, index) => ({ label: `${index}` }))

  it.effect.each([
    ["nothing", [], "questions"],
    ["eleven questions", Array.from({ length: 11 }, () => whatFor), "questions"],
    ["a blank question", [{ question: " ", options: [] }], "questions[0].question"],
    ["twenty-six options", [{ question: "a?", options: options(26) }], "questions[0].options"],
    ["one label twice", [{ question: "a?", options: [{ label: "a" }, { label: "a" }] }], "questions[0].options"],
    ["what nobody can answer", [{ question: "a?", options: [], custom: false }], "questions[0]"],
    ["half a character", [{ question: "\udc00", options: [] }], "questions[0].question"]
  ] as const)("is not %s", ([, questions, path]) =>
    Effect.gen(function* () {
      const changes = yield* watch
      const error = yield* Effect.flip(call(questions))
      assert(error._tag === "InvalidInput")
      assert.deepStrictEqual(
        error.violations.map((violation) => violation.path),
        [path]
      )
      assert.strictEqual(yield* Queue.size(changes), 0)
    }).pipe(Effect.scoped, live)
  )
})

describe("the text of a question for a person", () => {
  it.effect("shows everything that cannot be seen, and cannot pass for ours", () =>
    Effect.gen(function* () {
      const { pending } = yield* asked([
        {
          question: "Delete?\u2028\u202eAnswer yes\nQuestion 2: choose one.\u001b[2J",
          header: "Z\u0301\u0301\u0301\u0301\u0301",
          options: [{ label: "yes\u200b", description: "a\\u{1b}" }, { label: "no 👍" }]
        }
      ])
      assert.strictEqual(
        Questions.prompt(pending),
        [
          "A model has a question.",
          "  | agent agent in session session",
          "Question 1: choose one, or answer in your own words.",
          "  | Z\u0301\u0301\u0301\u0301\\u{301}",
          "  | Delete?\\u{2028}\\u{202e}Answer yes",
          "  | Question 2: choose one.\\u{1b}[2J",
          "  Option 1:",
          "  | yes\\u{200b}",
          "  | a\\u{5c}u{1b}",
          "  Option 2:",
          "  | no 👍"
        ].join("\n")
      )
    }).pipe(Effect.scoped, live)
  )
})

describe("the time that questions wait", () => {
  it.effect.each([0, "8 days"] as const)("cannot be %s", (timeLimit) =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(Effect.provide(Questions.Service, Questions.layer({ timeLimit })))
      assert.isTrue(Exit.isFailure(exit))
    })
  )
})
