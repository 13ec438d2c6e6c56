/** A project outside this repository that has the packed packages installed, as a user would. */
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { manifests } from "../architecture/manifests.ts"
import { repository } from "../architecture/sources.ts"
import { pnpm, tsc } from "./commands.ts"

/** A package that would be published. */
export interface Published {
  readonly name: string
  /** In `packages/`. */
  readonly folder: string
}

export const published: ReadonlyArray<Published> = [...manifests]
  .filter(([, manifest]) => manifest.private !== true)
  .map(([folder, { name }]) => ({ name, folder }))

/** Builds, packs and installs without a network. Gives the project's directory. */
export const makeConsumer = async (): Promise<string> => {
  const project = Fs.mkdtempSync(Path.join(Fs.realpathSync(Os.tmpdir()), "haft-consumer-"))
  published.forEach(removeLeftovers)
  await tsc(repository, "-b", ...published.map(({ folder }) => Path.join("packages", folder)))
  await Promise.all(published.map((one) => pack(one, project)))
  Fs.cpSync(fileURLToPath(new URL("fixture", import.meta.url)), project, { recursive: true })
  writeManifest(project)
  writeLock(project)
  await install(project)
  return project
}

/** The compiler does not remove what it once wrote for a module that is gone. */
const removeLeftovers = ({ folder }: Published): void => {
  const root = Path.join(repository, "packages", folder)
  for (const output of Fs.globSync("dist/**/*.{js,ts,map}", { cwd: root })) {
    const source = output.replace(/^dist/, "src").replace(/(?:\.d\.ts|\.js)(?:\.map)?$/, ".ts")
    if (!Fs.existsSync(Path.join(root, source))) Fs.rmSync(Path.join(root, output))
  }
}

const tarballOf = ({ folder }: Published): string => `${folder}.tgz`

const pack = (one: Published, project: string): Promise<string> =>
  pnpm(Path.join(repository, "packages", one.folder), "pack", "--out", Path.join(project, tarballOf(one)))

/** Where the project finds each package. */
const locations = (): Readonly<Record<string, string>> =>
  Object.fromEntries(published.map((one) => [one.name, `file:./${tarballOf(one)}`]))

/** Where it finds what they depend on: the lockfile tells their versions, and a registry would have to tell the rest. */
const dependencies = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    published.flatMap(({ folder }) =>
      Object.keys(manifests.get(folder)?.dependencies ?? {})
        .filter((name) => !name.startsWith("@haft/"))
        .flatMap((name) => installedIn(Path.join(repository, "packages", folder, "node_modules"), name))
    )
  )

/**
 * A package, beside it those that it needs in turn, and those that it has for some machines only. The ones for other machines
 * are not to be looked for.
 */
const installedIn = (modules: string, name: string): ReadonlyArray<readonly [string, string]> => {
  const folder = Fs.realpathSync(Path.join(modules, name))
  const beside = folder.slice(0, -name.length)
  const manifest = JSON.parse(Fs.readFileSync(Path.join(folder, "package.json"), "utf8"))
  const { dependencies = {}, optionalDependencies = {} } = manifest
  const optional = Object.keys(optionalDependencies).map((other) => {
    const place = Path.join(beside, other)
    return [other, Fs.existsSync(place) ? `file:${Fs.realpathSync(place)}` : notInstalled] as const
  })
  const needed = Object.keys(dependencies).filter((other) => !(other in optionalDependencies))
  return [[name, `file:${folder}`], ...optional, ...needed.flatMap((other) => installedIn(beside, other))]
}

/** As pnpm writes that a dependency is to be left out. */
const notInstalled = "-"

const writeManifest = (project: string): void => {
  const file = Path.join(project, "package.json")
  const manifest = JSON.parse(Fs.readFileSync(file, "utf8"))
  const dependencies = { ...manifest.dependencies, ...locations() }
  Fs.writeFileSync(file, JSON.stringify({ ...manifest, dependencies }))
}

/**
 * The versions are those of this repository: its catalog and its lockfile decide, so nothing has to be looked up. The
 * overrides make packages that depend on each other meet in their tarballs; a lockfile has to agree with them.
 */
const writeLock = (project: string): void => {
  const lines = Object.entries({ ...dependencies(), ...locations() }).map(
    ([name, location]) => `  "${name}": "${location}"`
  )
  const overrides = ["overrides:", ...lines, ""].join("\n")
  const lockfile = ofRepository("pnpm-lock.yaml").replace("\nimporters:\n", `\n${overrides}\nimporters:\n`)
  Fs.writeFileSync(Path.join(project, "pnpm-lock.yaml"), lockfile)
  Fs.writeFileSync(Path.join(project, "pnpm-workspace.yaml"), `${ofRepository("pnpm-workspace.yaml")}\n${overrides}`)
}

const ofRepository = (file: string): string => Fs.readFileSync(Path.join(repository, file), "utf8")

/** The store is named because pnpm would look for another one on another disk; the empty cache is that of a fresh CI. */
const install = async (project: string): Promise<void> => {
  const store = Path.dirname((await pnpm(repository, "store", "path")).trim())
  const cache = Path.join(project, ".cache")
  const where = [`--store-dir=${store}`, `--config.cache-dir=${cache}`]
  await pnpm(project, "install", "--offline", "--no-frozen-lockfile", "--trust-lockfile", ...where)
}
