import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { project } from "./support/command.ts"

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))

const script = (answers: unknown) => JSON.stringify(answers)

/** Processes with this among their arguments. */
const processesWith = (marker: string): ReadonlyArray<string> =>
  readdirSync("/proc").filter((name) => /^\d+$/.test(name) && argumentsOf(name).includes(marker))

const argumentsOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8")
  } catch {
    return ""
  }
}

describe("haft init", () => {
  it.live("writes a configuration that holds and a plugin that works, and never over something", () =>
    Effect.gen(function* () {
      const { process: haft, root } = yield* project()
      const first = yield* haft(["init"])
      assert.strictEqual(first.code, 0)
      assert.include(first.out, "Wrote haft.json and .haft/plugins/hello.js.")
      const plugins = yield* haft(["plugins"])
      assert.match(plugins.out, /^hello +Active /m)
      const greeted = yield* haft(["call", "hello", `{"name":"you"}`])
      assert.deepStrictEqual([greeted.code, greeted.out], [0, "Hello, you!\n"])
      writeFileSync(join(root, "haft.json"), "{}")
      const again = yield* haft(["init"])
      assert.strictEqual(again.code, 2)
      assert.include(again.err, "is there already, and was left as it is.")
      assert.strictEqual(readFileSync(join(root, "haft.json"), "utf8"), "{}")
    })
  )
})

describe("haft plugins", () => {
  it.live("says why a plugin does not work, and the other tools do", () =>
    Effect.gen(function* () {
      const { process: haft, root } = yield* project({ "a.txt": "hello" })
      yield* haft(["init"])
      writeFileSync(join(root, ".haft/plugins/broken.js"), "export default 7\n")
      const { code, out } = yield* haft(["plugins"])
      assert.strictEqual(code, 1)
      assert.match(out, /Failed .*broken\.js: /)
      assert.strictEqual((yield* haft(["call", "read", `{"path":"a.txt"}`])).code, 0)
    })
  )
})

describe("haft run", () => {
  it.live("runs a session with a script, and goes on with it by its name", () =>
    Effect.gen(function* () {
      const { haft, root } = yield* project({ "a.txt": "hello" })
      const file = join(root, "script.json")
      writeFileSync(
        file,
        script([["I look.", { call: "read", input: { path: "a.txt" } }], ["It says hello."], ["Nothing more."]])
      )
      const first = yield* haft(["run", "Look at a.txt", "--script", file, "--session", "one"])
      assert.strictEqual(first.code, 0)
      assert.strictEqual(first.out, "I look.\nIt says hello.\n")
      assert.match(first.err, /→ read {"path":"a.txt"}\n✓ read \(\d+ ms\) 1 hello \[End of a.txt, 1 line.\]\n/)
      assert.include(first.err, "answered after 2 turns and 1 calls")
      const second = yield* haft(["run", "And now?", "--script", file, "--session", "one", "--json"])
      assert.strictEqual(JSON.parse(second.out).text, "Nothing more.")
    })
  )

  it.live("ends the background jobs of its session, which ran until then", () =>
    Effect.gen(function* () {
      const marker = `${600 + (process.pid % 100)}.${process.pid}`
      const permissions = [{ action: "shell*", resource: "*", effect: "allow" }]
      const command = `sleep ${marker}`
      const { haft, root } = yield* project({
        "haft.json": JSON.stringify({ permissions }),
        "script.json": script([
          [{ call: "shell", input: { command, background: true } }],
          [{ call: "process", input: { action: "list" } }],
          ["Done."]
        ])
      })
      const { code, err } = yield* haft(["run", "Start it", "--script", join(root, "script.json")])
      assert.match(err, new RegExp(`✓ process .* running .* sleep ${marker}`))
      assert.deepStrictEqual([code, processesWith(marker)], [0, []])
    })
  )

  it.live("says how to go on when somebody cuts it off", () =>
    Effect.gen(function* () {
      const { root, state } = yield* project({
        "haft.json": `{ "permissions": [{ "action": "shell", "resource": "*", "effect": "allow" }] }`,
        "script.json": script([[{ call: "shell", input: { command: "sleep 600" } }], ["Done."]])
      })
      const args = ["run", "Wait", "--script", join(root, "script.json"), "--session", "one", "--root", root]
      const env = { HAFT_STATE: state, PATH: process.env["PATH"] }
      const err = yield* Effect.promise(async () => {
        const command = spawn(process.execPath, [main, ...args], { env, stdio: ["ignore", "ignore", "pipe"] })
        let text = ""
        for await (const chunk of command.stderr) {
          if (!text.includes("→ shell") && `${text}${chunk}`.includes("→ shell")) command.kill("SIGINT")
          text += chunk
        }
        return text
      })
      assert.include(err, "go on with: haft run --session one")
    })
  )

  it.live("asks the model of a server that speaks Chat Completions, and shows it the tools", () =>
    Effect.gen(function* () {
      const { haft } = yield* project({ "a.txt": "hello" })
      const asked: Array<string> = []
      const server = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const server = createServer((request, response) => {
            const parts: Array<Buffer> = []
            request.on("data", (part: Buffer) => void parts.push(part))
            request.on("end", () => {
              asked.push(Buffer.concat(parts).toString())
              response.writeHead(200, { "content-type": "text/event-stream" })
              const choice = { index: 0, delta: { role: "assistant", content: "Nothing to do." }, finish_reason: null }
              response.write(
                `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", choices: [choice] })}\n\n`
              )
              const end = { index: 0, delta: {}, finish_reason: "stop" }
              response.write(
                `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", choices: [end] })}\n\n`
              )
              response.end("data: [DONE]\n\n")
            })
          })
          await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
          return server
        }),
        (server) => Effect.sync(() => void server.close())
      )
      const address = server.address()
      const port = typeof address === "object" ? address?.port : 0
      const env = { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, HAFT_MODEL: "local" }
      const { code, out } = yield* haft(["run", "Look around"], { env })
      assert.deepStrictEqual([code, out], [0, "Nothing to do.\n"])
      const [request = "{}"] = asked
      assert.strictEqual(JSON.parse(request).model, "local")
      assert.include(request, "read_output")
    })
  )

  it.live("says what is missing: a prompt, a model, a script that can be read", () =>
    Effect.gen(function* () {
      const { haft, root } = yield* project({ "bad.json": `[["a", { "call": 7 }]]` })
      const nothing = yield* haft(["run"])
      assert.strictEqual(nothing.code, 2)
      assert.include(nothing.err, "There is nothing to do.")
      const noModel = yield* haft(["run", "Go"])
      assert.strictEqual(noModel.code, 2)
      assert.include(noModel.err, "ANTHROPIC_API_KEY")
      const bad = yield* haft(["run", "Go", "--script", join(root, "bad.json")])
      assert.strictEqual(bad.code, 2)
      assert.include(bad.err, "bad.json:1 [0][1]")
    })
  )
})

describe("haft demo", () => {
  it.live(
    "mends the greeting, is refused, reads what was too large, sees a plugin replaced and a call interrupted",
    () =>
      Effect.gen(function* () {
        const { process: haft, state } = yield* project()
        const { code, err, out } = yield* haft(["demo"])
        assert.strictEqual(code, 0, err)
        assert.strictEqual(readFileSync(join(state, "demo/project/src/greeting.txt"), "utf8"), "hello, world\n")
        const outcomes = new Map(
          out.split("\n").flatMap((line) => {
            const [, outcome = "", id = ""] = /^\d\S+ +\S+ +(\S+) .* (\S+)$/.exec(line) ?? []
            return id === "" ? [] : [[id, outcome] as const]
          })
        )
        assert.strictEqual(outcomes.get("misplace"), "Failed")
        assert.strictEqual(outcomes.get("needle"), "Succeeded")
        assert.strictEqual(outcomes.get("stale"), "Rejected")
        assert.strictEqual(outcomes.get("again"), "Succeeded")
        assert.strictEqual(outcomes.get("wait"), "Interrupted")
        assert.include(err, "Version 2 says: sun")
      })
  )
})
