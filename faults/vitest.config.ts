import { defineConfig } from "vitest/config"

// One for all scenarios, which the reporter tells.
process.env["HAFT_SEED"] ??= `${Math.floor(Math.random() * 2 ** 31)}`

export default defineConfig({
  test: {
    env: { HAFT_SEED: process.env["HAFT_SEED"] },
    include: ["faults/**/*.test.ts", "test/**/*.fuzz.ts"],
    reporters: ["default", "./faults/support/reporter.ts"],
    // Most of the time is spent in processes that are struck, so each core has a file of its own.
    maxWorkers: "100%",
    // A sweep kills a process at each of its writes, one process after the other, and takes minutes on a busy machine.
    testTimeout: 400_000
  }
})
