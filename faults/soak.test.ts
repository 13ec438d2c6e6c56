import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { scenario } from "./support/scenario.ts"
import { chosenSeed } from "./support/random.ts"
import { soak, told } from "./support/soak.ts"

const seconds = 40

describe("two hosts on one store", () => {
  scenario(
    "under random faults at random moments lose nothing and do nothing twice",
    {
      fault: `soak of ${seconds} s: kill -9, SIGSTOP, EMFILE, EIO, ENOSPC, file size, slow disk, wrong clock, worker death, interruption`,
      keeps: ["V1", "V2", "V3", "V4", "V8", "V10", "V11", "V12", "V13"],
      window: "a call that was under way when its host was gone",
      atLeast: { tries: 50, hits: 1 },
      timeout: 300_000
    },
    Effect.gen(function* () {
      const seed = chosenSeed()
      process.stdout.write(`to repeat the soak: HAFT_SEED=${seed} pnpm soak ${seconds}\n`)
      const soaked = yield* soak(seconds * 1000, seed)
      const { calls, corrupt, double, leaked, lost, recovered } = soaked
      assert.deepStrictEqual([...lost, ...double, ...corrupt, ...leaked], [], told(soaked))
      return { tries: calls, hits: recovered }
    })
  )
})
