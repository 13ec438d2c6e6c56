/** A project directory on the disk with something beside it, the file tools on it, and a permission that a test decides. */
import { LocationFiles } from "@haft/builtins"
import { Permission } from "@haft/core"
import { Context, Effect, Layer, Ref } from "effect"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"

/** Grants or refuses one request. */
export type Answer = (request: Permission.Request) => Effect.Effect<void, Permission.DeniedError>

export const denied = new Permission.DeniedError({ message: "The rules do not allow this.", by: "policy" })

export const allowAll: Answer = () => Effect.void
export const denyAll: Answer = () => Effect.fail(denied)

/** What a Location allows that nobody watches: everything inside, nothing outside. */
export const allowInside: Answer = ({ action }) => (action === "external_directory" ? Effect.fail(denied) : Effect.void)

export interface Place {
  /** Has the project in it, and what is beside the project. */
  readonly above: string
  readonly root: string
  /** A path in the project. */
  readonly at: (path: string) => string
  readonly write: (path: string, content: string | Uint8Array) => void
  readonly read: (path: string) => string
  /** All files below the project, temporary ones included. */
  readonly names: () => ReadonlyArray<string>
  readonly asked: Ref.Ref<ReadonlyArray<Permission.Request>>
  readonly context: Context.Context<LocationFiles.Service | Permission.Service>
  readonly files: LocationFiles.Interface
}

export interface Options extends Omit<LocationFiles.Options, "root"> {
  readonly answer?: Answer
  /** Where the project is made, for a test that needs a file system of its own. */
  readonly within?: string
}

/** Gone after the test. */
export const makePlace = Effect.fnUntraced(function* ({
  answer = allowAll,
  within = Os.tmpdir(),
  ...options
}: Options = {}) {
  const above = yield* temporaryDirectory(within)
  const root = Path.join(above, "project")
  Fs.mkdirSync(root)
  const asked = yield* Ref.make<ReadonlyArray<Permission.Request>>([])
  const layer = Layer.merge(LocationFiles.layer({ root, ...options }), layerPermission(asked, answer))
  const context = yield* Layer.build(layer)
  const at = (path: string) => Path.join(root, path)
  return {
    above,
    root,
    at,
    write: (path: string, content: string | Uint8Array) => {
      Fs.mkdirSync(Path.dirname(at(path)), { recursive: true })
      Fs.writeFileSync(at(path), content)
    },
    read: (path: string) => Fs.readFileSync(at(path), "utf8"),
    names: () => Fs.readdirSync(root, { encoding: "utf8", recursive: true }).toSorted(),
    asked,
    context,
    files: Context.get(context, LocationFiles.Service)
  } satisfies Place
})

const temporaryDirectory = (within: string) =>
  Effect.acquireRelease(
    Effect.sync(() => Fs.mkdtempSync(Path.join(Fs.realpathSync(within), "haft-files-"))),
    (directory) => Effect.sync(() => Fs.rmSync(directory, { recursive: true, force: true }))
  )

const layerPermission = (asked: Ref.Ref<ReadonlyArray<Permission.Request>>, answer: Answer) =>
  Layer.succeed(Permission.Service, {
    assert: (request) =>
      Effect.andThen(
        Ref.update(asked, (before) => [...before, request]),
        answer(request)
      ),
    stops: () => Effect.succeed(false)
  })

/** Descriptors of this process that are open right now. */
export const openDescriptors = (): number => Fs.readdirSync("/proc/self/fd").length
