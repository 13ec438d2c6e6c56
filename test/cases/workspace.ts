/** The workspace in which an entry of the corpus runs: fresh for each, with secrets beside it that must stay there. */
import { Effect, Schema, type Scope } from "effect"
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Net from "node:net"
import * as Os from "node:os"
import { basename, dirname, join } from "node:path"
import { Worker } from "node:worker_threads"
import { expand } from "./expand.ts"

const Step = Schema.Struct({
  op: Schema.String,
  path: Schema.optionalKey(Schema.String),
  pathBase64: Schema.optionalKey(Schema.String),
  content: Schema.optionalKey(Schema.Json),
  contentBase64: Schema.optionalKey(Schema.String),
  target: Schema.optionalKey(Schema.String),
  mode: Schema.optionalKey(Schema.Union([Schema.String, Schema.Int])),
  bytes: Schema.optionalKey(Schema.Int),
  files: Schema.optionalKey(Schema.Int)
})
type Step = typeof Step.Type

const decodeSteps = Schema.decodeUnknownSync(Schema.Array(Step), { onExcessProperty: "error" })

/** The word that must appear nowhere. */
export const canary = "CANARY"

/** What stands in every workspace. */
const baseline: ReadonlyArray<Step> = [
  { op: "file", path: "a/b.txt", content: "ok\n" },
  { op: "file", path: "file..name", content: "ok\n" },
  { op: "file", path: "with space.txt", content: "ok\n" },
  { op: "file", path: "../outside.txt", content: canary },
  { op: "file", path: "../victim.txt", content: canary },
  { op: "file", path: "../out/secret.txt", content: canary },
  { op: "file", path: "../out/s.txt", content: canary },
  { op: "file", path: "../${WNAME}-evil/secret.txt", content: canary },
  { op: "file", path: "../${WNAME} /secret.txt", content: canary },
  { op: "file", path: '../${WNAME}"/secret.txt', content: canary },
  { op: "symlink", path: "ln", target: "../out" }
]

export interface Workspace {
  readonly root: string
  /** Fills in the variables and builds what is generated. */
  readonly expanded: (value: Schema.Json) => Schema.Json
  /** Everything beside the root, with its content. */
  readonly outside: () => ReadonlyArray<string>
  /** Every name in the root. */
  readonly names: () => ReadonlyArray<string>
  /** Starts what is to go on while the entry runs, until the Scope closes. */
  readonly disturbed: Effect.Effect<void, never, Scope.Scope>
}

/** Gone with everything in it when the Scope closes. */
export const makeWorkspace = Effect.fnUntraced(function* (setup: ReadonlyArray<Schema.JsonObject>) {
  const above = yield* Effect.acquireRelease(
    Effect.sync(() => Fs.mkdtempSync(join(Fs.realpathSync(Os.tmpdir()), "haft-corpus-"))),
    (directory) => Effect.sync(() => Fs.rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  )
  const root = join(above, "work")
  Fs.mkdirSync(root)
  const variables: Readonly<Record<string, string>> = { W: root, WNAME: basename(root), STORE: join(above, "store") }
  const expanded = (value: Schema.Json): Schema.Json => expand(substituted(value, variables))
  const steps = decodeSteps([...baseline, ...setup].map((step) => substituted(step, variables)))
  const [prepared, disturbing] = [false, true].map((is) => steps.filter(({ op }) => disturbances.has(op) === is))
  yield* Effect.forEach(prepared ?? [], (step) => perform(root, step), { discard: true })
  return {
    root,
    expanded,
    outside: () => filesBelow(above, root),
    names: () => Fs.readdirSync(root, { encoding: "utf8", recursive: true }),
    disturbed: Effect.forEach(disturbing ?? [], (step) => perform(root, step), { discard: true })
  } satisfies Workspace
})

/** Fills in the variables. */
export const substituted = (value: Schema.Json, variables: Readonly<Record<string, string>>): Schema.Json => {
  if (typeof value === "string")
    return value.replaceAll(/\$\{([A-Z_]+)\}/g, (written, name) => variables[name] ?? written)
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map((item) => substituted(item, variables))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, substituted(item, variables)]))
}

/** Without those below `excluded`, whose names need not even be text. */
const filesBelow = (directory: string, excluded: string): ReadonlyArray<string> =>
  Fs.readdirSync(directory, { withFileTypes: true, recursive: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(`${excluded}/`))
    .map((path) => `${path.slice(directory.length + 1)}: ${Fs.lstatSync(path).isFile() ? contentOf(path) : ""}`)
    .toSorted()

/** What is larger is none of ours. */
const contentOf = (path: string): string =>
  Fs.statSync(path).size > 1_000_000 ? "large" : Fs.readFileSync(path, "latin1")

const perform = (root: string, step: Step) => {
  const { pathBase64 } = step
  if (pathBase64 !== undefined) return Effect.sync(() => writeBytes(Buffer.from(pathBase64, "base64"), root, step))
  const path = join(root, step.path ?? defaultPath)
  Fs.mkdirSync(dirname(path), { recursive: true })
  if (disturbances.has(step.op)) return disturb(path, step)
  if (step.op !== "dir") Fs.rmSync(path, { recursive: true, force: true })
  return step.op === "unixSocket" ? listen(path) : Effect.sync(() => place(path, step))
}

/** Of what an entry wants to have somewhere. */
const defaultPath = "generated"

/** What goes on while the entry runs. */
export const disturbances: ReadonlySet<string> = new Set(["swapper", "grower", "shrinker", "deleter"])

const writeBytes = (name: Buffer, root: string, step: Step): void =>
  Fs.writeFileSync(
    Buffer.concat([Buffer.from(`${root}/`), name]),
    step.contentBase64 === undefined ? String(step.content ?? "") : Buffer.from(step.contentBase64, "base64")
  )

const place = (path: string, step: Step): void => {
  const make = makers[step.op]
  if (make === undefined) throw new Error(`the corpus wants ${step.op}, which nobody can set up`)
  make(path, step)
}

const makers: Readonly<Record<string, (path: string, step: Step) => void>> = {
  file: (path, { content = "" }) => Fs.writeFileSync(path, String(content)),
  fileGen: (path, { content = "" }) => Fs.writeFileSync(path, String(expand(content))),
  fileBytes: (path, { contentBase64 = "" }) => Fs.writeFileSync(path, Buffer.from(contentBase64, "base64")),
  dir: (path, { mode }) => {
    Fs.mkdirSync(path, { recursive: true })
    if (mode !== undefined) Fs.chmodSync(path, mode)
  },
  symlink: (path, { target = "" }) => Fs.symlinkSync(target, path),
  hardlink: (path, { target = "" }) => Fs.linkSync(join(dirname(path), target), path),
  fifo: (path) => void execFileSync("mkfifo", [path]),
  sparse: (path, { bytes = 0 }) => {
    Fs.writeFileSync(path, "")
    Fs.truncateSync(path, bytes)
  },
  tree: (path, { files = 0 }) => {
    const directoryOf = (index: number) => join(path, String(index % 10), String(index % 100))
    const placeOf = (index: number) => join(directoryOf(index), `${index}.txt`)
    for (let index = 0; index < 100; index++) Fs.mkdirSync(directoryOf(index), { recursive: true })
    for (let index = 0; index < files; index++) {
      const first = index - (index % linksPerFile)
      if (index === first) Fs.writeFileSync(placeOf(index), `${index}\n`)
      else Fs.linkSync(placeOf(first), placeOf(index))
    }
  }
}

/** A link takes one call where a file takes three, and file systems set a limit to links. */
const linksPerFile = 1000

const listen = (path: string) =>
  Effect.acquireRelease(
    Effect.callback<Net.Server>((resume) => {
      const server = Net.createServer().listen(path, () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
  )

/** From when it is ready until the Scope closes. */
const disturb = (path: string, { op, target = "" }: Step) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly worker: Worker; readonly stop: Int32Array }>((resume) => {
      const stop = new Int32Array(new SharedArrayBuffer(4))
      const worker = new Worker(new URL("disturber.ts", import.meta.url), { workerData: { op, path, target, stop } })
      worker.once("message", () => resume(Effect.succeed({ worker, stop })))
    }),
    ({ stop, worker }) =>
      Effect.promise(() => {
        Atomics.store(stop, 0, 1)
        return worker.terminate()
      })
  )
