import { assert, describe, it } from "@effect/vitest"
import { barrelImports, usesOf } from "./effectUses.ts"
import { manifests } from "./manifests.ts"
import { packages, parse, sources, sourcesOf } from "./sources.ts"
import { peerRange, stabilitiesIn, stabilityOf, unstableUses } from "./stability.ts"
import { unstable } from "./unstable.ts"

describe("what packages use of Effect", () => {
  it("packages import Effect's modules one by one", () => {
    assert.deepStrictEqual(sources.flatMap(barrelImports), [])
  })

  it("core uses nothing but stable exports", () => {
    assert.deepStrictEqual(unstableUses(sourcesOf("core")), [])
  })

  it.each(packages)("the unstable exports that %s uses are those on the list", (name) => {
    assert.deepStrictEqual(unstableUses(sourcesOf(name)), unstable[name] ?? [])
  })

  it("the list names no package that does not exist", () => {
    assert.deepStrictEqual(
      Object.keys(unstable).filter((name) => !packages.includes(name)),
      []
    )
  })

  it.each(packages)("the range of Effect that %s accepts is as wide as its uses allow", (name) => {
    const range = manifests.get(name)?.peerDependencies?.["effect"]
    assert.strictEqual(range, peerRange(unstableUses(sourcesOf(name))))
  })
})

describe("the checks of what packages use of Effect", () => {
  it("report the barrel and folder barrels, not the modules in a folder", () => {
    const text = ["effect", "effect/http", "effect/Effect", "effect/http/HttpServer"].map((one) => `import "${one}"`)
    assert.deepStrictEqual(barrelImports(parse("core", "A.ts", text.join("\n"))), [
      "packages/core/src/A.ts imports the barrel effect",
      "packages/core/src/A.ts imports the barrel effect/http"
    ])
  })

  it("see an export in a value, a type, a heritage clause, a named import and a re-export", () => {
    const text = `
      import * as Effect from "effect/Effect"
      import type * as Stream from "effect/Stream"
      import { dual as both } from "effect/Function"
      export { Path } from "effect/Path"
      export * from "effect/Layer"
      export const run = Effect.fn("A")
      export type Bytes = Stream.Stream<Effect.fn.Return<number>>
      export interface A extends Stream.Variance {}
      export class B extends Effect.Class {}
      type Other = typeof Effect.succeed
    `
    assert.sameDeepMembers(
      usesOf(parse("core", "A.ts", text)).map(({ module, name }) => `${module}.${name}`),
      [
        "Function.dual",
        "Path.Path",
        "Layer.*",
        "Effect.fn",
        "Effect.fn",
        "Stream.Stream",
        "Stream.Variance",
        "Effect.Class",
        "Effect.succeed"
      ]
    )
  })

  it("know stable, unstable, experimental and missing exports of the installed Effect", () => {
    assert.strictEqual(stabilityOf({ module: "Effect", name: "gen" }), "stable")
    assert.strictEqual(stabilityOf({ module: "Effect", name: "void" }), "stable")
    assert.strictEqual(stabilityOf({ module: "Effect", name: "withExecutionPlan" }), "unstable")
    assert.strictEqual(stabilityOf({ module: "FileSystem", name: "FileSystem" }), "unstable")
    assert.strictEqual(stabilityOf({ module: "Glob", name: "make" }), "experimental")
    assert.strictEqual(stabilityOf({ module: "Effect", name: "catchAll" }), "unknown")
    assert.strictEqual(stabilityOf({ module: "NoSuchModule", name: "make" }), "unknown")
  })

  it("fall back to the tag of the module, and take the worse of two declarations", () => {
    const declarations = `/** Header. @stability unstable */
      import type { X } from "./X.ts"
      /** Own. @stability stable */
      export declare const own: X
      export declare const inherited: X
      /** @stability stable */
      export interface Both {}
      /** @stability experimental */
      export declare const Both: Both
      export { /** @stability stable */ own as renamed }`
    assert.deepStrictEqual(Object.fromEntries(stabilitiesIn(declarations)), {
      own: "stable",
      inherited: "unstable",
      Both: "experimental",
      renamed: "stable"
    })
    assert.strictEqual(
      stabilitiesIn(`/** @stability stable */\nexport type A = 1\nexport type B = 2`).get("B"),
      "unknown"
    )
  })

  it("report an unstable use once and narrow the range for it", () => {
    const text = `import * as Fs from "effect/FileSystem"\nexport const a = Fs.FileSystem\nexport const b = Fs.FileSystem`
    const found = unstableUses([parse("core", "A.ts", text)])
    assert.deepStrictEqual(found, ["FileSystem.FileSystem"])
    assert.strictEqual(peerRange(found), "~4.1.0")
    assert.strictEqual(peerRange([]), "^4.1.0")
  })
})
