import { assert, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { graphOf, reachableFrom } from "../architecture/cycles.ts"
import { repository, type Source, sourcesOf } from "../architecture/sources.ts"
import { node } from "./commands.ts"

const recorder = fileURLToPath(new URL("recordLoads.ts", import.meta.url))

const loadedBy = async (specifiers: ReadonlyArray<string>): Promise<ReadonlyArray<string>> =>
  JSON.parse(await node(repository, recorder, ...specifiers)).toSorted()

const folderOf = (...path: ReadonlyArray<string>): string =>
  `${pathToFileURL(Fs.realpathSync(Path.join(repository, ...path))).href}/`

const coreFolder = folderOf("packages", "core", "src")
const effectFolder = folderOf("node_modules", "effect")

const core = sourcesOf("core")
const fromIndex = reachableFrom(graphOf(core), "index.ts")
const loadedSources = core.filter(({ path }) => fromIndex.has(path))

const effectImports = ({ imports }: Source): ReadonlyArray<string> =>
  imports
    .filter(({ isTypeOnly, specifier }) => !isTypeOnly && specifier.startsWith("effect"))
    .map(({ specifier }) => specifier)

describe("importing @haft/core", () => {
  it("loads the modules that its index leads to, and no others of its own", async () => {
    const own = (await loadedBy(["@haft/core"])).filter((url) => url.startsWith(coreFolder))
    assert.deepStrictEqual(own, loadedSources.map(({ path }) => coreFolder + path).toSorted())
  })

  it("loads of Effect what its modules import, and nothing else from anywhere", async () => {
    const others = (await loadedBy(["@haft/core"])).filter((url) => !url.startsWith(coreFolder))
    assert.deepStrictEqual(others, await loadedBy([...new Set(loadedSources.flatMap(effectImports))]))
    assert.deepStrictEqual(
      others.filter((url) => !url.startsWith(effectFolder)),
      []
    )
  })

  it("would load more through the barrel", async () => {
    const [barrel, deep] = await Promise.all([loadedBy(["@haft/core", "effect"]), loadedBy(["@haft/core"])])
    assert.isAbove(barrel.length, deep.length)
  })
})

describe("importing @haft/registry", () => {
  it("loads nothing of Node's that waits for the first call", async () => {
    const builtIn = (await loadedBy(["@haft/registry"])).filter((url) => url.startsWith("node:"))
    assert.deepStrictEqual(builtIn, ["node:buffer", "node:path"])
  })
})

describe("importing @haft/wire", () => {
  it("loads modules of ours and of Effect, and none that only Node has", async () => {
    const [loaded, own] = [await loadedBy(["@haft/wire"]), folderOf("packages", "wire", "src")]
    assert.include(loaded, `${own}index.ts`)
    assert.deepStrictEqual(
      loaded.filter((url) => ![own, coreFolder, effectFolder].some((folder) => url.startsWith(folder))),
      []
    )
  })
})

describe("importing @haft/policy", () => {
  it("loads no grammar of the shell, which waits for the first command", async () => {
    const isGrammar = (url: string) => url.includes("/unbash/")
    assert.deepStrictEqual((await loadedBy(["@haft/policy"])).filter(isGrammar), [])
    const reader = `${folderOf("packages", "policy", "src", "internal")}shellGrammar.ts`
    assert.isNotEmpty((await loadedBy([reader])).filter(isGrammar))
  })
})
