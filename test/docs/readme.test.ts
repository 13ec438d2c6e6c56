import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "../..")
const read = (file: string): string => readFileSync(join(root, file), "utf8")
const blocksIn = (markdown: string): ReadonlyArray<string> =>
  [...markdown.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ""]) => code)

const examples: ReadonlyArray<readonly [string, string]> = [
  ["README.md", "examples/quickstart/main.ts"],
  ["packages/builtins/README.md", "examples/files/main.ts"],
  ["packages/core/README.md", "examples/capture/main.ts"],
  ["packages/gateway/README.md", "examples/gateway/main.ts"],
  ["packages/interop/README.md", "examples/interop/main.ts"],
  ["packages/mcp/README.md", "examples/mcp/main.ts"],
  ["packages/node/README.md", "examples/services/main.ts"],
  ["packages/plugin-api/README.md", "examples/plugin/main.ts"],
  ["packages/policy/README.md", "examples/approve/main.ts"],
  ["packages/registry/README.md", "examples/settle/main.ts"],
  ["packages/runner/README.md", "examples/runner/main.ts"],
  ["packages/wire/README.md", "examples/contracts/main.ts"]
]

/** In the order of the page. */
const pluginFiles = ["dicePromise", "diceEffect", "host"].map((name) => `examples/plugins/${name}.ts`)

describe("the documentation", () => {
  it("shows plugins that compile", () => {
    assert.deepStrictEqual(blocksIn(read("docs/plugins.md")), pluginFiles.map(read))
  })

  it.each(examples)("%s shows the code of %s, which the examples run", (readme, example) => {
    assert.deepStrictEqual(blocksIn(read(readme)), [read(example)])
  })

  it("shows code in no other README", () => {
    const readmes = globSync(["README.md", "packages/*/README.md"], { cwd: root })
    assert.sameMembers(
      readmes.filter((readme) => blocksIn(read(readme)).length > 0),
      examples.map(([readme]) => readme)
    )
  })

  it("has a README for every package", () => {
    const packages = globSync("packages/*/package.json", { cwd: root }).map((file) => file.replace("package.json", ""))
    for (const folder of packages) assert.include(globSync(`${folder}README.md`, { cwd: root }), `${folder}README.md`)
  })

  it("keeps the quick start to about twenty lines", () => {
    assert.isAtMost(read("examples/quickstart/main.ts").trim().split("\n").length, 20)
  })

  it("links only to files that exist", () => {
    const pages = globSync(["*.md", "docs/**/*.md", "packages/*/*.md"], { cwd: root })
    for (const page of pages) {
      const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, target = ""]) => target)
      for (const target of links)
        assert.isNotEmpty(globSync(join(page, "..", target), { cwd: root }), `${page}: ${target}`)
    }
  })
})
