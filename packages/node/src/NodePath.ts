/** Effect's `Path` on `node:path`, with the rules of the platform the process runs on. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as PlatformError from "effect/PlatformError"
import * as Node from "node:path"
import * as NodeUrl from "node:url"

/** Paths of the machine the process runs on; relative ones resolve against its working directory. */
export const layer: Layer.Layer<Path.Path> = Layer.sync(Path.Path, () =>
  Path.make({
    sep: Node.sep,
    basename: Node.basename,
    dirname: Node.dirname,
    extname: Node.extname,
    format: Node.format,
    fromFileUrl: (url) => attempt("fromFileUrl", () => NodeUrl.fileURLToPath(url)),
    isAbsolute: Node.isAbsolute,
    join: Node.join,
    normalize: Node.normalize,
    parse: Node.parse,
    relative: Node.relative,
    resolve: Node.resolve,
    toFileUrl: (path) => attempt("toFileUrl", () => NodeUrl.pathToFileURL(path)),
    toNamespacedPath: Node.toNamespacedPath
  })
)

const attempt = <A>(method: string, run: () => A) =>
  Effect.try({ try: run, catch: (cause) => new PlatformError.BadArgument({ module: "Path", method, cause }) })
