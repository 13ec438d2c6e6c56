import { assert, describe, it } from "@effect/vitest"
import { declaredArrows, escapingImports, importedArrows, undeclaredImports } from "./arrows.ts"
import { type Manifest, manifests } from "./manifests.ts"
import { parse, sources, sourcesOf } from "./sources.ts"

const manifest = (name: string, more: Omit<Manifest, "name">): Manifest => ({ name, ...more })

describe("arrows between packages", () => {
  it("a package imports only those below it", () => {
    assert.deepStrictEqual(
      sources.flatMap((source) => importedArrows(source)),
      []
    )
  })

  it("a package declares only dependencies on those below it", () => {
    assert.deepStrictEqual(
      [...manifests].flatMap(([name, manifest]) => declaredArrows(name, manifest)),
      []
    )
  })

  it("a package declares whatever it imports", () => {
    assert.deepStrictEqual(
      [...manifests].flatMap(([name, manifest]) =>
        sourcesOf(name).flatMap((source) => undeclaredImports(source, manifest))
      ),
      []
    )
  })

  it("a relative import stays inside its package", () => {
    assert.deepStrictEqual(sources.flatMap(escapingImports), [])
  })
})

describe("the checks of arrows", () => {
  it("report an import that points up, in whichever form", () => {
    const forms = [
      `import * as Registry from "@haft/registry"`,
      `import type { Any } from "@haft/registry/Overlay"`,
      `export * from "@haft/registry"`,
      `export { make } from "@haft/registry"`,
      `const later = import("@haft/registry")`,
      `type Any = import("@haft/registry").Any`
    ]
    for (const text of forms) {
      assert.deepStrictEqual(importedArrows(parse("builtins", "Read.ts", text)), [
        "packages/builtins/src/Read.ts may not depend on @haft/registry"
      ])
    }
    assert.deepStrictEqual(importedArrows(parse("cli", "Main.ts", forms.join("\n"))), [])
  })

  it("report a package without a place in the table", () => {
    const expected = ["stranger has no place in the table of arrows"]
    assert.deepStrictEqual(importedArrows(parse("stranger", "A.ts", "")), expected)
    assert.deepStrictEqual(declaredArrows("stranger", manifest("@haft/stranger", {})), expected)
  })

  it("report a declared dependency that points up, of whichever kind", () => {
    const ranges = { effect: "^4.1.0", "@haft/policy": "workspace:^" }
    for (const kind of ["dependencies", "peerDependencies", "optionalDependencies"]) {
      assert.deepStrictEqual(declaredArrows("remote", manifest("@haft/remote", { [kind]: ranges })), [
        "@haft/remote may not depend on @haft/policy"
      ])
    }
  })

  it("report an import that is not declared", () => {
    const source = parse(
      "node",
      "A.ts",
      `import "node:fs"\nimport "./B.ts"\nimport "effect/Effect"\nimport "@other/x/Y"`
    )
    assert.deepStrictEqual(
      undeclaredImports(source, manifest("@haft/node", { peerDependencies: { effect: "~4.1.0" } })),
      ["packages/node/src/A.ts imports @other/x, which @haft/node does not declare"]
    )
  })

  it("report a relative import of another package", () => {
    const text = `import "../A.ts"\nimport "../../../core/src/runtime.ts"`
    assert.deepStrictEqual(escapingImports(parse("node", "internal/b.ts", text)), [
      "packages/node/src/internal/b.ts reaches out of its package with ../../../core/src/runtime.ts"
    ])
  })
})
