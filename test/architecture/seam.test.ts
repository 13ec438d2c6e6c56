import { assert, describe, it } from "@effect/vitest"
import { hiddenImports, seamUses } from "./seam.ts"
import { parse, sources } from "./sources.ts"

const importing = (packageName: string, path: string, specifier: string) =>
  seamUses(parse(packageName, path, `import * as Door from "${specifier}"`))

const opened = (place: string, specifier: string) => [`packages/${place} opens the seam ${specifier}`]

describe("the inside of a sealed tool", () => {
  it("is reached by the registry, by test support and by nobody else", () => {
    assert.deepStrictEqual(sources.flatMap(seamUses), [])
  })

  it("is not reached by an import that hides its target", () => {
    assert.deepStrictEqual(sources.flatMap(hiddenImports), [])
  })
})

describe("the checks of the seam", () => {
  it("report whoever but the registry imports the runtime", () => {
    const specifier = "@haft/core/runtime"
    for (const path of ["Server.ts", "testing.ts"]) {
      assert.deepStrictEqual(importing("mcp", path, specifier), opened(`mcp/src/${path}`, specifier))
    }
    assert.deepStrictEqual(importing("registry", "Settle.ts", specifier), [])
  })

  it("report whoever but test support imports core's test support", () => {
    const specifier = "@haft/core/testing"
    for (const [name, path] of [["mcp", "Server.ts"] as const, ["registry", "internal/testing.ts"] as const]) {
      assert.deepStrictEqual(importing(name, path, specifier), opened(`${name}/src/${path}`, specifier))
    }
    assert.deepStrictEqual(importing("registry", "testing.ts", specifier), [])
  })

  it("report whoever inside core takes a way that is not theirs", () => {
    const shortcut = "core/src/internal/shortcut.ts"
    for (const specifier of ["./carrier.ts", "../internal/carrier.ts", "../runtime.ts", "../testing.ts"]) {
      assert.deepStrictEqual(importing("core", "internal/shortcut.ts", specifier), opened(shortcut, specifier))
    }
    assert.deepStrictEqual(importing("core", "Tool.ts", "./runtime.ts"), opened("core/src/Tool.ts", "./runtime.ts"))
    assert.deepStrictEqual(
      importing("core", "Tools.ts", "@haft/core/runtime"),
      opened("core/src/Tools.ts", "@haft/core/runtime")
    )
  })

  it("let core's own three modules through", () => {
    for (const path of ["Tool.ts", "runtime.ts", "testing.ts"]) {
      assert.deepStrictEqual(importing("core", path, "./internal/carrier.ts"), [])
    }
    assert.deepStrictEqual(importing("core", "testing.ts", "./runtime.ts"), [])
  })

  it("leave modules of the same name in other packages alone", () => {
    for (const specifier of ["../runtime.ts", "../testing.ts", "./carrier.ts"]) {
      assert.deepStrictEqual(importing("node", "internal/other.ts", specifier), [])
    }
  })

  it("report a re-export, a type and an import at run time like any other import", () => {
    const forms = [
      `export * from "@haft/core/runtime"`,
      `export { open } from "@haft/core/runtime"`,
      `type Runtime = import("@haft/core/runtime").Runtime`,
      `const later = import("@haft/core/runtime")`
    ]
    for (const form of forms) {
      assert.deepStrictEqual(
        seamUses(parse("mcp", "Server.ts", form)),
        opened("mcp/src/Server.ts", "@haft/core/runtime")
      )
    }
  })

  it("report an import of an expression or a template, and not one of a string", () => {
    const hidden = ["import(name)", "import(`@haft/core/runtime`)", "import(`./${name}.ts`)", `import("./" + name)`]
    for (const form of hidden) {
      assert.deepStrictEqual(hiddenImports(parse("mcp", "Server.ts", `const later = ${form}`)), [
        `packages/mcp/src/Server.ts hides what it imports: ${form}`
      ])
    }
    assert.deepStrictEqual(hiddenImports(parse("mcp", "Server.ts", `const later = import("./Client.ts")`)), [])
  })

  it("let the one module through that loads plugins, and none of the same name elsewhere", () => {
    const form = "const later = import(name)"
    assert.deepStrictEqual(hiddenImports(parse("registry", "internal/pluginImport.ts", form)), [])
    for (const [name, path] of [["mcp", "internal/pluginImport.ts"] as const, ["registry", "plugins.ts"] as const]) {
      assert.lengthOf(hiddenImports(parse(name, path, form)), 1)
    }
  })
})
