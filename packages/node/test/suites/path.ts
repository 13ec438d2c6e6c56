/** What any `Path` on a POSIX system owes its callers. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer, Option, Path } from "effect"

export const paths = (name: string, service: Layer.Layer<Path.Path>): void =>
  layer(service)(name, (it) => {
    it.effect("a path is taken apart and put together again", () =>
      Effect.gen(function* () {
        const path = yield* Path.Path
        const parsed = path.parse("/home/user/file.tar.gz")
        assert.deepStrictEqual(parsed, {
          root: "/",
          dir: "/home/user",
          base: "file.tar.gz",
          ext: ".gz",
          name: "file.tar"
        })
        assert.strictEqual(path.format(parsed), "/home/user/file.tar.gz")
        assert.strictEqual(path.basename("/a/b.txt"), "b.txt")
        assert.strictEqual(path.basename("/a/b.txt", ".txt"), "b")
        assert.strictEqual(path.dirname("/a/b.txt"), "/a")
        assert.strictEqual(path.extname("/a/b.txt"), ".txt")
        assert.strictEqual(path.sep, "/")
      })
    )

    it.effect("segments are joined, normalized and resolved", () =>
      Effect.gen(function* () {
        const path = yield* Path.Path
        assert.strictEqual(path.join("a", "..", "b", "./c"), "b/c")
        assert.strictEqual(path.normalize("/a//b/../c/"), "/a/c/")
        assert.strictEqual(path.resolve("/a", "b", "../c"), "/a/c")
        assert.strictEqual(path.resolve("/a", "/b"), "/b")
        assert.isTrue(path.isAbsolute(path.resolve("a")))
        assert.isFalse(path.isAbsolute("a"))
        assert.strictEqual(path.relative("/a/b", "/a/c/d"), "../c/d")
        assert.strictEqual(path.toNamespacedPath("/a"), "/a")
      })
    )

    it.effect("a path and its file URL are each other's inverse", () =>
      Effect.gen(function* () {
        const path = yield* Path.Path
        const file = "/a b/grün#1?.txt"
        const url = yield* path.toFileUrl(file)
        assert.strictEqual(url.protocol, "file:")
        assert.strictEqual(yield* path.fromFileUrl(url), file)
      })
    )

    it.effect("a URL that names no local file is a bad argument", () =>
      Effect.gen(function* () {
        const path = yield* Path.Path
        for (const url of ["https://example.com/a", "file://host/a", "file:///a%2Fb"]) {
          assert.strictEqual((yield* Effect.flip(path.fromFileUrl(new URL(url))))._tag, "BadArgument")
        }
        assert.strictEqual(yield* path.fromFileUrl(new URL("file:///a%20b")), "/a b")
      })
    )

    it.effect("resolving within a root never leaves it", () =>
      Effect.gen(function* () {
        const path = yield* Path.Path
        assert.deepStrictEqual(path.resolveWithin("/base", "a/../b"), Option.some("/base/b"))
        assert.deepStrictEqual(path.resolveWithin("/base", "..b"), Option.some("/base/..b"))
        for (const outside of ["..", "../root2", "a/../../b", "/base/a"]) {
          assert.isTrue(Option.isNone(path.resolveWithin("/base", outside)))
        }
      })
    )
  })
