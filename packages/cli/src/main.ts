#!/usr/bin/env node
/** Where the `haft` command begins. What it compiled is kept, so that from the second time on it starts in half of the time. */
import { enableCompileCache } from "node:module"

enableCompileCache()
await import("./internal/process.ts")
