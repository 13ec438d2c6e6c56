import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"],
    // One less than the cores is the default, and half of the time many tests wait for processes and disks.
    maxWorkers: "100%",
    // Loading Effect anew for every file takes a fifth of the time, and no test changes a module.
    isolate: false,
    testTimeout: 30_000
  }
})
