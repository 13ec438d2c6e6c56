import { assert, describe, it } from "@effect/vitest"
import { Approvals, Display, type Rule } from "@haft/policy"
import { Effect, Queue } from "effect"
import * as Fs from "node:fs"
import { makeProject, told } from "./project.ts"

const rule = (effect: Rule.Rule["effect"], action: string, resource: string): Rule.Rule => ({
  effect,
  action,
  resource
})

/** Every call starts processes, on a machine that may be busy. */
const longTime = 120_000

const isolation = { isolation: "required" } as const

describe("a command of a model, judged by rules and people", { timeout: longTime }, () => {
  it.live("runs unasked where rules allow each part of it, and not at all where they deny one", () =>
    Effect.gen(function* () {
      const rules = [rule("allow", "shell", "echo *"), rule("deny", "shell", "rm *")]
      const project = yield* makeProject({ rules, shell: isolation })
      assert.include(
        told(yield* project.call("shell", { command: "echo one && echo 'two  three'" })),
        "one\ntwo  three"
      )
      project.write("kept", "")
      const denied = yield* project.call("shell", { command: "echo one; rm kept" })
      assert.deepNestedInclude(denied, { "failure.reason._tag": "Denied", "failure.reason.rule": "deny shell rm *" })
      assert.include(told(denied), "deny shell rm *")
      assert.notInclude(told(denied), "one\n")
      assert.isTrue(Fs.existsSync(project.at("kept")))
    })
  )

  it.live("is asked about with all its parts, and tells the model why it did not run", () =>
    Effect.gen(function* () {
      const project = yield* makeProject({ rules: [rule("allow", "shell", "echo *")], shell: isolation })
      const asked = yield* project.answering(Approvals.reject("Use the tool write."), Approvals.once)
      const command = "echo a | tee $(cat name) > out"
      const refused = yield* project.call("shell", { command })
      assert.deepNestedInclude(refused, { "failure.reason._tag": "Denied", "failure.reason.by": "user" })
      assert.include(told(refused), "Use the tool write.")
      const { request } = yield* Queue.take(asked)
      assert.deepStrictEqual(request.resources, ["echo a", "tee ⟦$(cat name)⟧", "cat name", "> out"])
      assert.deepStrictEqual(request.save, [])
      assert.isFalse(Fs.existsSync(project.at("out")))
      project.write("name", "copy")
      assert.include(told(yield* project.call("shell", { command })), "exit code 0")
      assert.strictEqual(Fs.readFileSync(project.at("copy"), "utf8"), "a\n")
    })
  )

  it.live("that is always allowed needs no second answer, and nothing else is allowed with it", () =>
    Effect.gen(function* () {
      const project = yield* makeProject({ shell: isolation })
      assert.include(told(yield* project.call("shell", { command: "echo a" })), "nobody is there to be asked")
      const asked = yield* project.answering(Approvals.always, Approvals.reject())
      yield* project.call("shell", { command: "echo   a" })
      assert.deepStrictEqual(yield* project.approvals.saved, [{ action: "shell", resource: "echo a" }])
      assert.include(told(yield* project.call("shell", { command: "echo 'a'", cwd: "." })), "a\n[exit code 0]")
      const more = yield* project.call("shell", { command: "echo a\necho b" })
      assert.deepNestedInclude(more, { "failure.reason.by": "user" })
      assert.strictEqual(yield* Queue.size(asked), 2)
    })
  )

  it.live("asks every time where it is not isolated, and the question says so", () =>
    Effect.gen(function* () {
      const rules = [rule("allow", "*", "*")]
      const project = yield* makeProject({ rules, shell: { isolation: "none" } })
      const nobody = yield* project.call("shell", { command: "echo a" })
      assert.deepNestedInclude(nobody, { "failure.reason._tag": "Denied", "failure.reason.by": "policy" })
      assert.notInclude(told(nobody), "rule to add")
      const asked = yield* project.answering(Approvals.always, Approvals.once)
      assert.include(told(yield* project.call("shell", { command: "echo a" })), "a\n[exit code 0]")
      assert.include(told(yield* project.call("shell", { command: "echo a" })), "a\n[exit code 0]")
      const prompt = Display.prompt(yield* Queue.take(asked))
      assert.include(prompt, "NOT ISOLATED")
      assert.deepStrictEqual(yield* project.approvals.saved, [])
    })
  )

  it.live("is shown to a person with what cannot be seen in it", () =>
    Effect.gen(function* () {
      const project = yield* makeProject({ shell: isolation })
      const asked = yield* project.answering(Approvals.reject())
      yield* project.call("shell", { command: "rm\u00a0-rf . # \u202eevil", background: true })
      const prompt = Display.prompt(yield* Queue.take(asked))
      for (const line of [
        "rm\\u{a0}-rf",
        "\\u{202e}evil",
        "background:",
        "isolation:",
        "namespace",
        "network:",
        "cwd:"
      ]) {
        assert.include(prompt, line)
      }
    })
  )
})

describe("what is executed later", { timeout: longTime }, () => {
  const rules = [rule("allow", "*", "*")]

  it.live("stays out of reach of commands also where Git's own settings say that it is", () =>
    Effect.gen(function* () {
      const project = yield* makeProject({ rules, shell: isolation })
      project.write(".git/config", "[core]\n\thooksPath = tools/hooks\n")
      project.write("tools/hooks/pre-commit", "original")
      const commands = [
        "echo x > tools/hooks/pre-commit",
        "echo x > tools/hooks/post-merge",
        "mv tools/hooks tools/other && mkdir tools/hooks",
        "mv tools other"
      ]
      for (const command of commands) {
        const settled = yield* project.call("shell", { command })
        assert.notInclude(told(settled), "exit code 0", command)
        assert.deepStrictEqual(Fs.readdirSync(project.at("tools/hooks")), ["pre-commit"])
        assert.strictEqual(Fs.readFileSync(project.at("tools/hooks/pre-commit"), "utf8"), "original")
      }
      assert.include(told(yield* project.call("shell", { command: "echo x > tools/fine" })), "exit code 0")
    })
  )

  it.live("is moved aside where Git's own settings say so and a command created it", () =>
    Effect.gen(function* () {
      const project = yield* makeProject({ rules, shell: isolation })
      project.write(".git/config", "[core]\n\thooksPath = tools/hooks\n")
      const settled = yield* project.call("shell", { command: "mkdir -p tools/hooks && echo x > tools/hooks/a" })
      assert.include(told(settled), "moved aside: tools/hooks is now tools/moved-aside-")
      assert.isFalse(Fs.existsSync(project.at("tools/hooks")))
    })
  )

  it.live("stays where a tool for files put it with an approval while a command ran", () =>
    Effect.gen(function* () {
      const project = yield* makeProject({ rules, shell: isolation })
      yield* project.answering(Approvals.once)
      const running = yield* project.waiting()
      const path = ".github/workflows/ci.yml"
      assert.include(told(yield* project.call("write", { path, content: "on: push" })), path)
      assert.include(told(yield* running.finished), "exit code 0")
      assert.strictEqual(Fs.readFileSync(project.at(path), "utf8"), "on: push")
    })
  )

  it.live("does not stay if the command changed it, or moved it there", () =>
    Effect.gen(function* () {
      const project = yield* makeProject({ rules, shell: isolation })
      yield* project.answering(Approvals.once, Approvals.once, Approvals.once)
      yield* project.call("write", { path: "plain/pre-commit", content: "evil" })
      const settled = yield* project.call("shell", { command: "mv plain .husky" })
      assert.include(told(settled), "moved aside: .husky is now moved-aside-")
      const running = yield* project.waiting("printf evil > .env*")
      yield* project.call("write", { path: ".envrc", content: "fine" })
      assert.include(told(yield* running.finished), "moved aside: .envrc is now moved-aside-")
    })
  )

  it.live("is moved aside by one of several commands that end at the same time", () =>
    Effect.gen(function* () {
      const project = yield* makeProject({
        rules: [...rules, rule("allow", "shell", "touch .npmrc")],
        shell: isolation
      })
      // So many that looking through them takes several turns of the event loop.
      for (let index = 0; index < 1000; index++) project.write(`many/${index}/file`, "")
      const command = "touch .npmrc; sleep 0.5"
      const calls = Array.from({ length: 6 }, () => project.call("shell", { command }))
      const settled = yield* Effect.all(calls, { concurrency: "unbounded" })
      assert.isTrue(settled.some((one) => told(one).includes("moved aside: .npmrc is now moved-aside-")))
      assert.isFalse(Fs.existsSync(project.at(".npmrc")))
    })
  )

  it.live("is none of what a tool for files has beside a file while it writes", () =>
    Effect.gen(function* () {
      const project = yield* makeProject({ rules, shell: isolation })
      const running = yield* project.waiting()
      const temporary = ".haft-0123456789abcdef0123456789abcdef.tmp"
      project.write(temporary, "half")
      assert.include(told(yield* running.finished), "exit code 0")
      assert.strictEqual(Fs.readFileSync(project.at(temporary), "utf8"), "half")
    })
  )
})
