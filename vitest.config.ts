import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"],
    // One more than the cores that there are at least: much of the time a test waits for processes and disks.
    maxWorkers: 3,
    // Loading Effect anew for every file takes a fifth of the time, and no test changes a module.
    isolate: false,
    testTimeout: 30_000
  }
})
