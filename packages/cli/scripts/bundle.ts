/**
 * Writes the command as a few files that Node loads in a fraction of the time that its modules take, into the directory
 * that is named on the command line. What plugins share with their host is in it as packages whose modules lead into
 * those files, so that a plugin's `effect` is the command's.
 */
import { spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { type InputOptions, type OutputOptions, type Plugin, rolldown } from "rolldown"

const repository = fileURLToPath(new URL("../../../", import.meta.url))

const source = (path: string): string => Path.join(repository, "packages", path)

/** Threads are started from files that lie beside whoever starts them, by these names. */
const workers = {
  htmlWorker: source("builtins/src/internal/htmlWorker.ts"),
  searchWorker: source("registry/src/internal/searchWorker.ts"),
  sqliteWorker: source("node/src/internal/sqliteWorker.ts")
}

const main = source("cli/src/internal/process.ts")

/** A package of which a plugin gets the host's modules. */
interface Shared {
  readonly name: string
  readonly modules: string
  readonly exports: unknown
}

const readManifest = (directory: string) => JSON.parse(Fs.readFileSync(Path.join(directory, "package.json"), "utf8"))

const ours = (folder: string): Shared => {
  const manifest = readManifest(source(folder))
  return { name: manifest.name, modules: source(`${folder}/src`), exports: manifest.publishConfig.exports }
}

const installedEffect = (): Shared => {
  const directory = Path.dirname(Fs.realpathSync(source("cli/node_modules/effect/package.json")))
  return { name: "effect", modules: Path.join(directory, "dist"), exports: readManifest(directory).exports }
}

const shared = [installedEffect(), ours("core"), ours("plugin-api")]

const folderOf = ({ name }: Shared): string => `node_modules/${name}`

/** Whatever a plugin can import of a package, by the place that it has in the bundle. */
const entriesOf = (from: Shared): ReadonlyArray<readonly [string, string]> =>
  Fs.globSync("**/*.{js,ts}", { cwd: from.modules })
    .filter((path) => !path.endsWith(".d.ts") && !path.split(Path.sep).includes("internal"))
    .map((path) => [`${folderOf(from)}/dist/${path.replace(/\.[jt]s$/, "")}`, Path.join(from.modules, path)])

/** Knows which modules a start loads. */
const reached = () => {
  const seen = new Set<string>()
  const plugin: Plugin = {
    name: "reached",
    buildEnd() {
      const from = (id: string): void => {
        if (seen.has(id)) return
        seen.add(id)
        for (const next of this.getModuleInfo(id)?.importedIds ?? []) from(next)
      }
      from(main)
    }
  }
  return { plugin, isReached: (id: string) => seen.has(id) }
}

/** Ripgrep looks for its program from where it lies itself. */
const ripgrep = "@vscode/ripgrep"

/** V8 keeps a text in half of the memory if all of its characters are ASCII. */
const ascii: Plugin = {
  name: "ascii",
  generateBundle(_options, files) {
    for (const file of Object.values(files)) if (file.type === "chunk") file.code = escaped(file.code)
  }
}

const escaped = (code: string): string =>
  code.replaceAll(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)

const build = async (
  directory: string,
  input: InputOptions["input"],
  output: OutputOptions = {},
  plugins: Plugin[] = []
) => {
  const made = await rolldown({
    input: input ?? {},
    platform: "node",
    external: [ripgrep],
    // Some packages have modules besides a form that looks for its parts at run time.
    resolve: { mainFields: ["module", "main"] },
    plugins: [...plugins, ascii],
    logLevel: "warn"
  })
  const written = await made.write({
    dir: directory,
    format: "esm",
    chunkFileNames: "[name].js",
    // Names stay, so that a stack can be read.
    minify: { mangle: false, compress: false, codegen: { removeWhitespace: true } },
    ...output
  })
  await made.close()
  return written.output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []))
}

const bundle = async (directory: string): Promise<void> => {
  const { isReached, plugin } = reached()
  const modules = { main, ...Object.fromEntries(shared.flatMap(entriesOf)) }
  const inputs = [
    // What a start loads is one file.
    ...(await build(directory, modules, { codeSplitting: { groups: [{ name: "haft", test: isReached }] } }, [plugin])),
    // By itself, because a thread shares nothing with the command and should not load it.
    ...(await build(directory, workers, { chunkFileNames: "thread-[name].js" }))
  ]
  writeManifest(directory, { type: "module" })
  for (const from of shared) {
    writeManifest(Path.join(directory, folderOf(from)), { name: from.name, type: "module", exports: from.exports })
  }
  linkRipgrep(Path.join(directory, "node_modules", ripgrep))
  Fs.writeFileSync(Path.join(directory, "start.js"), start)
  serveOnce(directory)
  process.stdout.write(JSON.stringify(ownFiles(inputs)))
}

const writeManifest = (directory: string, manifest: object): void =>
  Fs.writeFileSync(Path.join(directory, "package.json"), JSON.stringify(manifest))

/** What V8 compiled is kept beside the bundle, and goes with it. */
const start = `import { enableCompileCache } from "node:module"
import { fileURLToPath } from "node:url"
enableCompileCache(fileURLToPath(new URL("compiled", import.meta.url)))
await import("./main.js")
`

/** Compiles what serving needs, so that the first client does not wait for that. Shows also that the bundle works. */
const serveOnce = (directory: string): void => {
  const place = Fs.mkdtempSync(Path.join(tmpdir(), "haft-bundle-"))
  const project = Path.join(place, "project")
  Fs.mkdirSync(project)
  const initialize = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bundle", version: "1" } }
  const messages = [
    { id: 1, method: "initialize", params: initialize },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/list" },
    { id: 3, method: "tools/call", params: { name: "read", arguments: { path: "." } } }
  ]
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    [Path.join(directory, "start.js"), "serve", "--root", project],
    {
      encoding: "utf8",
      env: { ...process.env, HAFT_STATE: Path.join(place, "state") },
      input: messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("")
    }
  )
  Fs.rmSync(place, { recursive: true, force: true })
  if (status !== 0 || !stdout.includes("inputSchema")) throw new Error(`The bundle does not serve: ${stderr}${stdout}`)
}

const linkRipgrep = (place: string): void => {
  const found = createRequire(pathToFileURL(source("builtins/package.json"))).resolve(ripgrep)
  Fs.mkdirSync(Path.dirname(place), { recursive: true })
  Fs.symlinkSync(found.slice(0, found.lastIndexOf(Path.normalize(ripgrep)) + ripgrep.length), place, "junction")
}

/** Whatever changes with the work in this repository. What is installed changes with the list of what is. */
const ownFiles = (inputs: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(inputs.filter((id) => Path.isAbsolute(id) && !id.includes("node_modules"))),
  ...Fs.globSync("packages/*/package.json", { cwd: repository }).map((path) => Path.join(repository, path)),
  Path.join(repository, "pnpm-lock.yaml"),
  fileURLToPath(import.meta.url)
]

const [directory] = process.argv.slice(2)
if (directory === undefined) throw new Error("Name the directory to write to")
await bundle(directory)
