import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"],
    // One less than the cores is the default, and half of the time many tests wait for processes and disks.
    maxWorkers: "100%",
    testTimeout: 30_000
  }
})
