#!/usr/bin/env -S node --max-semi-space-size=2
/**
 * Where the `haft` command begins: in JavaScript that an old Node can read, so that it can tell what is wrong. A small space
 * for young objects keeps an idle server small.
 */
import { existsSync } from "node:fs"

/** Older ones lack `node:sqlite` as it is used here, and cannot run TypeScript. */
const leastNode = 24

const isCheckout = () => existsSync(new URL("../scripts/bundle.ts", import.meta.url))

const start = async () => {
  if (!isCheckout()) return import("../dist/main.js")
  const { prepared } = await import("./prepared.js")
  const entry = prepared()
  return import(entry ?? new URL("../src/main.ts", import.meta.url).href)
}

if (Number.parseInt(process.versions.node, 10) >= leastNode) await start()
else {
  process.stderr.write(
    `haft needs Node ${leastNode} or later, and this is ${process.versions.node} (${process.execPath}).\n` +
      "Install a newer one from https://nodejs.org. In a clone of the repository, `npx -y pnpm@12.18.0 haft` brings its own.\n"
  )
  process.exitCode = 2
}
