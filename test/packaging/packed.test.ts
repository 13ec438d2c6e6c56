import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { repository, sources, sourcesOf } from "../architecture/sources.ts"
import { node, pnpmCommand, tsc } from "./commands.ts"
import { makeConsumer, published } from "./consumer.ts"

/** For the compiler on a busy machine. */
const longTime = 120_000

let project = ""

beforeAll(async () => {
  project = await makeConsumer()
}, longTime)

afterAll(() => {
  if (project !== "") Fs.rmSync(project, { recursive: true })
})

const installed = (name: string): string => Path.join(project, "node_modules", name)

const filesOf = (name: string): ReadonlyArray<string> =>
  Fs.readdirSync(installed(name), { encoding: "utf8", recursive: true })
    .filter((path) => !path.startsWith("node_modules") && Fs.statSync(Path.join(installed(name), path)).isFile())
    .toSorted()

const readJson = (...path: ReadonlyArray<string>) => JSON.parse(Fs.readFileSync(Path.join(...path), "utf8"))

/** The modules of all packages for which `select` holds, as a user would import them. */
const entriesOf = (select: (path: string) => boolean): ReadonlyArray<string> => {
  const names = new Map(published.map(({ folder, name }) => [folder, name]))
  return sources
    .filter((source) => names.has(source.package) && select(source.path))
    .map((source) => `${names.get(source.package)}/${source.path.replace(/\.ts$/, "")}`)
}

const outcomesOf = async (specifiers: ReadonlyArray<string>): Promise<unknown> =>
  JSON.parse(await node(project, "entries.ts", ...specifiers))

const allWith = (specifiers: ReadonlyArray<string>, outcome: string) =>
  Object.fromEntries(specifiers.map((specifier) => [specifier, outcome]))

describe("a project that has the packed packages installed", () => {
  it("takes nothing from this repository", () => {
    assert.isFalse(project.startsWith(repository))
    for (const name of [...published.map(({ name }) => name), "effect", "typescript"]) {
      assert.isTrue(Fs.realpathSync(installed(name)).startsWith(project), name)
    }
  })

  it(
    "type-checks, our declarations and Effect's included",
    async () => {
      assert.strictEqual(await tsc(project, "-p", "."), "")
    },
    longTime
  )

  it(
    "does not type-check once a declaration of ours is broken",
    async () => {
      const broken = Path.join(installed("@haft/core"), "dist", "Broken.d.ts")
      Fs.writeFileSync(broken, "export declare const broken: NoSuchType\n")
      Fs.writeFileSync(Path.join(project, "broken.ts"), `export { broken } from "@haft/core/Broken"\n`)
      const outcome = await tsc(project, "-p", ".").catch(String)
      Fs.rmSync(broken)
      Fs.rmSync(Path.join(project, "broken.ts"))
      assert.include(outcome, "Cannot find name 'NoSuchType'")
    },
    longTime
  )

  it("has the haft command", async () => {
    const { bin, version } = readJson(installed("@haft/cli"), "package.json")
    assert.include(await node(project, Path.join("node_modules/@haft/cli", bin.haft), "--version"), version)
  })

  it("runs a tool on Node", async () => {
    assert.deepStrictEqual((await node(project, "main.ts")).trim().split("\n"), [
      `{"structured":{"path":"notes/today.md"},"content":[{"_tag":"Text","text":"notes/today.md"}]}`,
      "InvalidInput"
    ])
  })

  it("can import the seam, the test support and every public module", async () => {
    const named = ["@haft/core", "@haft/core/runtime", "@haft/core/testing", "@haft/core/Tool"]
    const entries = [...named, ...entriesOf((path) => /^[A-Z]\w*\.ts$/.test(path))]
    assert.deepStrictEqual(await outcomesOf(entries), allWith(entries, "imported"))
  })

  it("cannot import anything internal", async () => {
    const entries = entriesOf((path) => path.startsWith("internal/"))
    const outcomes = await outcomesOf(entries)
    assert.isNotEmpty(entries)
    assert.deepStrictEqual(outcomes, allWith(entries, "ERR_PACKAGE_PATH_NOT_EXPORTED"))
  })
})

/** Data that a package says it publishes besides its modules. */
const dataOf = (folder: string): ReadonlyArray<string> => {
  const root = Path.join(repository, "packages", folder)
  const folders = readJson(root, "package.json").files.filter((name: string) => name !== "dist" && name !== "src")
  return folders.flatMap((name: string) => Fs.globSync(`${name}/**/*.json`, { cwd: root }))
}

/** Programs that are published as they are. */
const commandsOf = (folder: string): ReadonlyArray<string> =>
  readJson(repository, "packages", folder, "package.json").files.filter((name: string) => name.endsWith(".js"))

/** Whether the modules that nobody can import are joined to a few files. */
const isJoined = (folder: string): boolean =>
  readJson(repository, "packages", folder, "package.json").scripts?.prepack !== undefined

/** Compiled, and not to be imported. A module that only leads into another file needs no map. */
const isInside = (path: string): boolean => /^dist\/(?:internal\/.*\.js|.*\.js\.map)$/.test(path)

describe("the packages that every program with tools imports", () => {
  const recorder = Path.join(import.meta.dirname, "recordLoads.ts")

  const loadedOf = async (name: string, specifiers: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
    Fs.copyFileSync(recorder, Path.join(project, "recordLoads.ts"))
    const loaded: ReadonlyArray<string> = JSON.parse(await node(project, "recordLoads.ts", ...specifiers))
    return loaded.filter((url) => url.includes(`/${name}/dist/`)).map((url) => url.slice(url.lastIndexOf("/dist/") + 6))
  }

  it("are loaded from one file each, besides what leads into it", async () => {
    const imported = ["@haft/core", "@haft/registry"]
    const found = await Promise.all(
      ["@haft/core", "@haft/plugin-api", "@haft/registry"].map((name) => loadedOf(name, imported))
    )
    assert.deepStrictEqual(
      found.map((files) => files.toSorted()),
      [
        ["index.js", "internal/joined.js", "runtime.js"],
        ["index.js", "internal/joined.js"],
        ["index.js", "internal/joined.js"]
      ]
    )
  })

  it("are the same modules by whatever name they are imported", async () => {
    const modules = ["@haft/core/Tool", "@haft/core", "@haft/registry/ToolRegistry"]
    assert.deepStrictEqual((await loadedOf("@haft/core", modules)).toSorted(), [
      "Tool.js",
      "index.js",
      "internal/joined.js",
      "runtime.js"
    ])
  })

  it("settle a call, and search on a thread, which loads nothing of theirs but its own file", async () => {
    assert.deepStrictEqual((await node(project, "registry.ts")).trim().split("\n"), [`{"number":42}`, "2,3"])
    const thread = Fs.readFileSync(Path.join(installed("@haft/registry"), "dist/internal/searchWorker.js"), "utf8")
    assert.notInclude(thread, "joined.js")
  })
})

describe.each(published)("the tarball of $name", ({ folder, name }) => {
  const sourceFiles = sourcesOf(folder).map(({ path }) => path)

  it("holds each module compiled, declared, mapped and as source, its data and commands, and nothing else", () => {
    const compiled = sourceFiles
      .map((path) => `dist/${path.replace(/\.ts$/, "")}`)
      .flatMap((path) => [`${path}.d.ts`, `${path}.d.ts.map`, `${path}.js`, `${path}.js.map`])
    const sources = sourceFiles.map((path) => `src/${path}`)
    const expected = [...compiled, ...sources, ...dataOf(folder), ...commandsOf(folder), "LICENSE", "package.json"]
    const found = filesOf(name).filter((path) => path !== "README.md")
    const isCompared = (path: string) => !isJoined(folder) || !isInside(path)
    assert.deepStrictEqual(found.filter(isCompared), expected.filter(isCompared).toSorted())
  })

  it("has source maps that lead to the sources in it", () => {
    const maps = filesOf(name).filter((path) => path.endsWith(".map"))
    const targets = maps.flatMap((path) =>
      readJson(installed(name), path).sources.map((source: string) => Path.posix.join(Path.posix.dirname(path), source))
    )
    assert.deepStrictEqual([...new Set(targets)].toSorted(), sourceFiles.map((path) => `src/${path}`).toSorted())
  })

  it("exports what is compiled, as the repository says for publishing", () => {
    const manifest = readJson(repository, "packages", folder, "package.json")
    assert.deepStrictEqual(readJson(installed(name), "package.json").exports, manifest.publishConfig.exports)
  })

  it("refers to no workspace and no catalog", () => {
    const text = Fs.readFileSync(Path.join(installed(name), "package.json"), "utf8")
    assert.notMatch(text, /"(?:workspace|catalog|link|file):/)
  })

  it("has the license of the repository", () => {
    const [packed, ours] = [installed(name), repository].map((root) =>
      Fs.readFileSync(Path.join(root, "LICENSE"), "utf8")
    )
    assert.strictEqual(packed, ours)
  })
})

describe("the package manager of these tests", () => {
  it("is the pnpm that runs them, whether it is a binary or a script", () => {
    assert.deepStrictEqual(pnpmCommand("/opt/pnpm/pnpm"), ["/opt/pnpm/pnpm"])
    assert.deepStrictEqual(pnpmCommand("/opt/pnpm/bin/pnpm.cjs"), [process.execPath, "/opt/pnpm/bin/pnpm.cjs"])
  })

  it("is a fixed version through npx where something else runs them", () => {
    for (const running of [undefined, "/opt/npm/bin/npx-cli.js"]) assert.strictEqual(pnpmCommand(running)[0], "npx")
  })
})
