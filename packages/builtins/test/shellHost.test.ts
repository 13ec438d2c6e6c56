import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { eventually, hasBubblewrap, makeMarker, survivors } from "./support/commands.ts"

const fixture = (name: string): string => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url))

const hosts = ["isolated", "not isolated"]
  .filter((mode) => hasBubblewrap || mode !== "isolated")
  .flatMap((mode) => ["this user", "ordinary"].map((user) => [mode, user] as const))

/** A process of Node is started that starts others. */
const longTime = 120_000

describe("killing this process", { timeout: longTime }, () => {
  it.live.each(hosts)("ends its commands, %s, of %s, and its background jobs", ([mode, user]) =>
    Effect.gen(function* () {
      const marker = makeMarker()
      const host = spawn(process.execPath, [fixture("shellHost.ts"), mode, user, marker], { stdio: "inherit" })
      yield* Effect.addFinalizer(() => Effect.sync(() => host.kill("SIGKILL")))
      // The host itself has the marker among its arguments, and each command has three sleepers.
      const sleepers = () => survivors(marker).filter((pid) => pid !== String(host.pid))
      yield* eventually(() => sleepers().length >= 6)
      host.kill("SIGKILL")
      yield* eventually(() => sleepers().length === 0)
    })
  )
})

describe("an ordinary user", () => {
  it("can run commands, isolated and not, within the same limits", { timeout: longTime }, async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [fixture("shellUser.ts")])
    const { isolated, plain, uid } = JSON.parse(stdout)
    assert.isAbove(uid, 0)
    const leftovers =
      "hi\n[exit code 0]\n[Processes that the command left running were ended. To keep one running, use background.]"
    const same = { write: "x\n[exit code 0]", leftovers }
    if (hasBubblewrap) assert.deepStrictEqual(isolated, { isolation: "namespace", ...same, many: isolated.many })
    assert.deepStrictEqual(plain, { isolation: "none", ...same, many: "was ended" })
  })
})
