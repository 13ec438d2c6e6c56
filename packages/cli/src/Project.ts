/** The directory that a command is about, its configuration, and where its records are kept. */
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { createHash } from "node:crypto"
import * as ProjectConfig from "./Config.ts"
import { UsageError } from "./internal/faults.ts"
import * as Sentences from "./internal/sentences.ts"

/** Private to the user, and outside of the project: no tool can reach it. */
export interface State {
  readonly directory: string
  readonly database: string
  readonly outputs: string
  readonly owners: string
  readonly journal: string
}

export interface Interface {
  /** Without symbolic links in it. */
  readonly root: string
  readonly config: ProjectConfig.Config
  readonly state: State
}

export class Service extends Context.Service<Service, Interface>()("@haft/cli/Project") {}

/**
 * Without a root, the nearest directory around the working directory that has a `haft.json`, or else the working
 * directory itself. `base` is where the records of projects are, if that is not up to the configuration.
 */
export const layer = (
  root: Option.Option<string>,
  base?: string
): Layer.Layer<Service, UsageError, FileSystem.FileSystem | Path.Path> => Layer.effect(Service, make(root, base))

const make = Effect.fnUntraced(function* (given: Option.Option<string>, base: string | undefined) {
  const path = yield* Path.Path
  const root = yield* realDirectory(
    Option.isSome(given) ? path.resolve(given.value) : yield* nearest(path.resolve("."))
  ).pipe(Effect.mapError((named) => new UsageError(Sentences.noSuchRoot(named))))
  const config = yield* ProjectConfig.load(path.join(root, ProjectConfig.fileName))
  return Service.of({ root, config, state: yield* stateOf(root, base ?? config.state) })
})

const realDirectory = Effect.fnUntraced(function* (named: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const real = yield* Effect.mapError(fileSystem.realPath(named), () => named)
  const { type } = yield* Effect.mapError(fileSystem.stat(real), () => named)
  return type === "Directory" ? real : yield* Effect.fail(named)
})

const nearest = Effect.fnUntraced(function* (start: string) {
  const path = yield* Path.Path
  const fileSystem = yield* FileSystem.FileSystem
  let directory = start
  for (;;) {
    const exists = yield* Effect.orElseSucceed(
      fileSystem.exists(path.join(directory, ProjectConfig.fileName)),
      () => false
    )
    if (exists) return directory
    const parent = path.dirname(directory)
    if (parent === directory) return start
    directory = parent
  }
})

/** Two projects of the same name have different ones, and a project keeps its own as long as it is not moved. */
const stateOf = Effect.fnUntraced(function* (root: string, given: string | undefined) {
  const path = yield* Path.Path
  const base = given === undefined ? yield* stateBase : path.resolve(root, given)
  const digest = createHash("sha256").update(root).digest("hex").slice(0, digestLength)
  const directory = path.join(base, `${path.basename(root) || "root"}-${digest}`)
  if (isInside(path, directory, root)) return yield* new UsageError(Sentences.stateInside(directory, root))
  return {
    directory,
    database: path.join(directory, "haft.sqlite"),
    outputs: path.join(directory, "outputs"),
    owners: path.join(directory, "owners"),
    journal: path.join(directory, "journal")
  }
})

/** Twelve hexadecimal digits tell some millions of projects apart. */
const digestLength = 12

const isInside = (path: Path.Path, inner: string, outer: string): boolean => {
  const relative = path.relative(outer, inner)
  return relative === "" || (relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative))
}

const variable = (name: string) => Config.option(Config.NonEmptyString(name))

/** Where the records of all projects are, unless a project says otherwise. */
export const stateBase = Effect.gen(function* () {
  const path = yield* Path.Path
  const own = yield* variable("HAFT_STATE")
  if (Option.isSome(own)) return path.resolve(own.value)
  const xdg = yield* variable("XDG_STATE_HOME")
  if (Option.isSome(xdg)) return path.join(xdg.value, "haft")
  const home = yield* variable("HOME")
  if (Option.isSome(home)) return path.join(home.value, ".local", "state", "haft")
  return yield* new UsageError(Sentences.noHome)
}).pipe(Effect.catchTag("ConfigError", () => Effect.fail(new UsageError(Sentences.noHome))))
