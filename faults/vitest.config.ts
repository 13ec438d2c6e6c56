import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["faults/**/*.test.ts", "test/**/*.fuzz.ts"],
    reporters: ["default", "./faults/support/reporter.ts"],
    // Most of the time is spent in processes that are struck, so each core has a file of its own.
    maxWorkers: "100%",
    // A sweep kills a process at each of its writes, one process after the other, and takes minutes on a busy machine.
    testTimeout: 400_000
  }
})
