import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["faults/**/*.test.ts", "test/**/*.fuzz.ts"],
    // A sweep kills a process at each of its writes, one process after the other, and takes minutes on a busy machine.
    testTimeout: 400_000
  }
})
