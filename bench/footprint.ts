/** What installing and importing a subject takes: packages, bytes and milliseconds. */
import { execFile } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { promisify } from "node:util"

const bench = import.meta.dirname
const repository = Path.join(bench, "..")
const staged = Path.join(bench, ".staged")

interface Manifest {
  readonly dependencies?: Record<string, string>
  readonly optionalDependencies?: Record<string, string>
  readonly peerDependencies?: Record<string, string>
  readonly peerDependenciesMeta?: Record<string, { readonly optional?: boolean }>
}

const manifestOf = (directory: string): Manifest =>
  JSON.parse(Fs.readFileSync(Path.join(directory, "package.json"), "utf8"))

/** Where Node would find the package, if it is installed. */
const find = (name: string, from: string): string | undefined => {
  const candidate = Path.join(from, "node_modules", name)
  if (Fs.existsSync(candidate)) return Fs.realpathSync(candidate)
  const parent = Path.dirname(from)
  return parent === from ? undefined : find(name, parent)
}

/** What has to be there for it to work, without peers that it can do without. */
const requirementsOf = (manifest: Manifest): ReadonlyArray<string> => {
  const peers = Object.keys(manifest.peerDependencies ?? {})
  const needed = peers.filter((name) => manifest.peerDependenciesMeta?.[name]?.optional !== true)
  return [...Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }), ...needed]
}

const collect = (name: string, from: string, found: Set<string>): void => {
  const directory = find(name, from)
  if (directory === undefined || found.has(directory)) return
  found.add(directory)
  for (const required of requirementsOf(manifestOf(directory))) collect(required, directory, found)
}

const sizeOf = (directory: string): number =>
  Fs.readdirSync(directory, { withFileTypes: true })
    .filter(({ name }) => name !== "node_modules")
    .map((entry) => Path.join(directory, entry.name))
    .reduce((total, path) => total + (Fs.statSync(path).isDirectory() ? sizeOf(path) : Fs.statSync(path).size), 0)

export interface Installed {
  readonly packages: number
  readonly bytes: number
}

export const installedBy = (names: ReadonlyArray<string>, root: string): Installed => {
  const found = new Set<string>()
  for (const name of names) collect(name, root, found)
  return { packages: found.size, bytes: [...found].reduce((total, directory) => total + sizeOf(directory), 0) }
}

/** From which the subject is resolved: our own packages as they are published, compiled and joined. */
export const rootOf = (family: string): string => (family === "haft" ? stage() : bench)

const stagedPackages = ["core", "plugin-api", "registry"]

/** Lays out what a user would have installed. The packages have to be compiled. */
const stage = (): string => {
  const modules = Path.join(staged, "node_modules")
  Fs.rmSync(staged, { recursive: true, force: true })
  Fs.mkdirSync(Path.join(modules, "@haft"), { recursive: true })
  for (const name of stagedPackages)
    copyPackage(Path.join(repository, "packages", name), Path.join(modules, "@haft", name))
  for (const name of ["effect", "re2js"]) {
    const target = find(name, Path.join(repository, "packages", "registry"))
    if (target !== undefined) Fs.symlinkSync(target, Path.join(modules, name))
  }
  return staged
}

const copyPackage = (from: string, to: string): void => {
  const { publishConfig, ...manifest } = JSON.parse(Fs.readFileSync(Path.join(from, "package.json"), "utf8"))
  Fs.mkdirSync(to, { recursive: true })
  Fs.writeFileSync(Path.join(to, "package.json"), JSON.stringify({ ...manifest, exports: publishConfig.exports }))
  for (const folder of ["dist", "src"]) Fs.cpSync(Path.join(from, folder), Path.join(to, folder), { recursive: true })
}

const run = promisify(execFile)

/** As a program whose modules are found from `root`. */
const evaluate = async (root: string, program: string): Promise<string> => {
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", program], { cwd: root })
  return stdout
}

const importsOf = (specifiers: ReadonlyArray<string>): string =>
  specifiers.map((specifier) => `await import(${JSON.stringify(specifier)});`).join("")

/** In a new process, from the first import to the last, without the start of Node. */
export const importMillis = async (specifiers: ReadonlyArray<string>, root: string): Promise<number> =>
  Number(
    await evaluate(
      root,
      `const started = performance.now(); ${importsOf(specifiers)} process.stdout.write(String(performance.now() - started))`
    )
  )

/** The addresses of all modules of Effect that the imports load. */
export const effectModulesOf = async (
  specifiers: ReadonlyArray<string>,
  root: string
): Promise<ReadonlyArray<string>> => {
  const effect = Fs.realpathSync(Path.join(root, "node_modules", "effect"))
  const loaded: ReadonlyArray<string> = JSON.parse(
    await evaluate(
      root,
      `import { registerHooks } from "node:module"; const loaded = [];
       registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context) } });
       ${importsOf(specifiers)} process.stdout.write(JSON.stringify(loaded))`
    )
  )
  return loaded.filter((url) => url.startsWith(`file://${effect}/`))
}

/** Makes of what is staged what would be published. */
export const compile = async (): Promise<void> => {
  const compiler = Path.join(repository, "node_modules", "typescript", "bin", "tsc")
  await run(process.execPath, [compiler, "-b", Path.join(repository, "packages", "registry")])
  const join = Path.join(repository, "scripts", "join.ts")
  await Promise.all(
    stagedPackages.map((name) => run(process.execPath, [join, Path.join(repository, "packages", name)]))
  )
}
