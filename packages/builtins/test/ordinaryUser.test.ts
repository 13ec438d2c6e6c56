import { assert, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const run = promisify(execFile)

const notAllowed = (path: string) =>
  `Precondition: The operating system does not allow this for ${path}.\n` +
  "Ask the user to change the permissions of the file, or use another file."

const partial = "[Incomplete: some files or directories could not be read, or only in part.]"

it("an ordinary user can do with the tools what the system allows, strictly confined, and is told what it does not", async () => {
  const { stdout } = await run(process.execPath, [fileURLToPath(new URL("fixtures/ordinary.ts", import.meta.url))])
  const { uid, ...outcomes } = JSON.parse(stdout)
  assert.isAbove(uid, 0)
  assert.deepStrictEqual(outcomes, {
    confinement: "strict",
    read: "1\tone\n[End of a, 1 line.]",
    edit: "Edited a.\n- edit 1: line 1, exact match",
    write: "Created new/b: 1 line, 1 byte.",
    locked: notAllowed("locked"),
    secret: notAllowed("secret"),
    closed: notAllowed("closed/x"),
    fixed: notAllowed("fixed/new"),
    grep: `locked\n1:\tone\n\n[1 match in 1 file.]\n${partial}`,
    glob: `a\nlocked\nnew/b\nsecret\n[4 files.]\n${partial}`,
    lockedIs: "one\n",
    names: ["a", "closed", "closed/x", "fixed", "locked", "new", "new/b", "secret"]
  })
})
