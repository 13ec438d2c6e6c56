/**
 * Makes of a compiled package what is published of it: everything that its index leads to as one file, and each public
 * module as one that leads into it. Most of what importing takes is finding modules, one after the other. It runs in the
 * directory of the package, when that is packed.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import { pathToFileURL } from "node:url"
import { type OutputOptions, type Plugin, rolldown } from "rolldown"

const packages = Path.join(import.meta.dirname, "..", "packages")
const [root = process.cwd()] = process.argv.slice(2)
const sources = Path.join(root, "src")
const output = Path.join(root, "dist")

/** By the name that each has in what is published. */
const modulesAt = (pattern: string): Record<string, string> =>
  Object.fromEntries(
    Fs.globSync(pattern, { cwd: sources }).map((path) => [path.replace(/\.ts$/, ""), Path.join(sources, path)])
  )

const index = Path.join(sources, "index.ts")

/** Knows what the index leads to. */
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
      from(index)
    }
  }
  return { plugin, isReached: (id: string) => seen.has(id) }
}

const ours = /^@haft\/(?<folder>[^/]+)\/(?<module>[A-Z]\w*)$/

/** A public module of another package that has been joined: whoever imports many of them finds one. */
const joinedModule = (specifier: string) => {
  const { folder = "", module = "" } = ours.exec(specifier)?.groups ?? {}
  const directory = Path.join(packages, folder)
  const isJoined = folder !== "" && readManifest(directory).scripts?.prepack !== undefined
  return isJoined ? { folder, module, source: Path.join(directory, "src", `${module}.ts`) } : undefined
}

const readManifest = (directory: string) => JSON.parse(Fs.readFileSync(Path.join(directory, "package.json"), "utf8"))

const isBare = (id: string): boolean => !id.startsWith(".") && !Path.isAbsolute(id) && !id.startsWith(through)

const through = "\0through-index:"

const throughIndex: Plugin = {
  name: "through-index",
  resolveId: (specifier) => (joinedModule(specifier) === undefined ? null : through + specifier),
  load: async (id) => {
    const joined = id.startsWith(through) ? joinedModule(id.slice(through.length)) : undefined
    if (joined === undefined) return null
    const { folder, module, source } = joined
    const names = Object.keys(await import(pathToFileURL(source).href))
    return `import { ${module} as from } from "@haft/${folder}"\nexport const { ${names.join(", ")} } = from\n`
  }
}

/** V8 reads a text faster, and keeps it in half of the memory, if all of its characters are ASCII. */
const ascii: Plugin = {
  name: "ascii",
  generateBundle(_options, files) {
    for (const file of Object.values(files)) if (file.type === "chunk") file.code = escaped(file.code)
  }
}

const escaped = (code: string): string =>
  code.replaceAll(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** Gives the files that it wrote. */
const build = async (input: Record<string, string>, options: OutputOptions, plugins: ReadonlyArray<Plugin> = []) => {
  if (Object.keys(input).length === 0) return []
  const made = await rolldown({
    input,
    platform: "node",
    external: (id) => isBare(id) && joinedModule(id) === undefined,
    plugins: [throughIndex, ...plugins, ascii],
    logLevel: "warn"
  })
  const { output: files } = await made.write({
    dir: output,
    format: "esm",
    sourcemap: true,
    // Names stay, so that a stack can be read.
    minify: { mangle: false, compress: false, codegen: { removeWhitespace: true } },
    chunkFileNames: "internal/[name].js",
    ...options
  })
  await made.close()
  return files.map(({ fileName }) => fileName)
}

/** The sources are published beside the map. */
const withoutContent = (file: string): void => {
  const { sourcesContent: _, ...map } = JSON.parse(Fs.readFileSync(file, "utf8"))
  Fs.writeFileSync(file, JSON.stringify(map))
}

const { isReached, plugin } = reached()
const joined: OutputOptions = { codeSplitting: { groups: [{ name: "joined", test: isReached }] } }
const written = new Set([
  ...(await build(modulesAt("*.ts"), joined, [plugin])),
  // Each by itself: a thread shares nothing with whoever starts it.
  ...(await build(modulesAt("internal/*Worker.ts"), { chunkFileNames: "internal/thread-[name].js" }))
])
for (const file of Fs.globSync("**/*.{js,js.map}", { cwd: output })) {
  if (!written.has(file)) Fs.rmSync(Path.join(output, file))
  else if (file.endsWith(".map")) withoutContent(Path.join(output, file))
}
