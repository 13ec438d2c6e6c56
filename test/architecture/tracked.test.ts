import { assert, describe, it } from "@effect/vitest"
import * as Path from "node:path"
import { repository } from "./sources.ts"
import { machinePaths, registryHosts, trackedFiles } from "./tracked.ts"

const file = (...lines: ReadonlyArray<string>) => ({ path: "a.txt", text: lines.join("\n") })
const slash = "/"

describe("tracked files", () => {
  it("no file names a directory of the machine that it was written on", () => {
    assert.deepStrictEqual(trackedFiles().flatMap(machinePaths), [])
  })

  it("no file names the host of a package registry", () => {
    assert.deepStrictEqual(trackedFiles().flatMap(registryHosts), [])
  })

  it("the lockfile is among the files that are read", () => {
    assert.include(
      trackedFiles().map(({ path }) => path),
      "pnpm-lock.yaml"
    )
  })

  it("a path in a home directory is reported, wherever it stands in a line", () => {
    for (const home of ["root", "home", "Users"]) {
      const path = `${slash}${home}${slash}someone`
      const { length } = machinePaths(file(`cwd: ${path}/code`, `"${path}"`, `file://${path}`, `=${path}`))
      assert.strictEqual(length, 4)
    }
  })

  it("the path of this very checkout is reported", () => {
    const place = Path.join(repository, "packages")
    assert.isNotEmpty(machinePaths(file(`see ${place}`)))
  })

  it("a relative path and an invented one are no reports", () => {
    assert.deepStrictEqual(machinePaths(file("docs/home/page.md", "~/root/x", `${slash}home/user/notes.txt`)), [])
  })

  it("a registry's host and a locked address of a tarball are reported", () => {
    const scheme = "https:"
    assert.strictEqual(registryHosts(file(`registry=${scheme}//registry.example.org/`)).length, 1)
    assert.strictEqual(registryHosts(file(`resolution: {tarball: ${scheme}//example.org/a.tgz}`)).length, 1)
    assert.deepStrictEqual(registryHosts(file("registry.tools.get(name)", `${scheme}//example.org`)), [])
  })
})
