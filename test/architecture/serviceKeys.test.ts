import { assert, describe, it } from "@effect/vitest"
import { keysOf, sharedKeys, wrongKeys } from "./serviceKeys.ts"
import { parse, sources } from "./sources.ts"

const imports = `import * as Context from "effect/Context"\nimport * as LayerMap from "effect/LayerMap"\n`

describe("service keys", () => {
  it("the key of a service names its package and module", () => {
    assert.deepStrictEqual(sources.flatMap(wrongKeys), [])
  })

  it("no two services share a key", () => {
    assert.deepStrictEqual(sharedKeys(sources), [])
  })

  it("the services of core are among those that are checked", () => {
    assert.includeMembers(sources.flatMap(keysOf), ["@haft/core/Tools", "@haft/core/Progress"])
  })

  it("a key that does not match its file is reported, in every form of a service", () => {
    const forms = [
      `class Service extends Context.Service<Service, {}>()("@haft/core/Other") {}`,
      `const Service = Context.Service<{}>("@haft/core/Other")`,
      `const Service = Context.Reference<{}>("@haft/core/Other", { defaultValue: () => ({}) })`,
      `class Service extends LayerMap.Service<Service>()("@haft/core/Other", { lookup }) {}`
    ]
    for (const form of forms) {
      assert.deepStrictEqual(wrongKeys(parse("core", "Tools.ts", imports + form)), [
        "packages/core/src/Tools.ts has the key @haft/core/Other, not @haft/core/Tools"
      ])
    }
  })

  it("a key that is computed is reported", () => {
    const text = `${imports}class Service extends Context.Service<Service, {}>()(prefix + "Tools") {}`
    assert.strictEqual(wrongKeys(parse("core", "Tools.ts", text)).length, 1)
  })

  it("a second service under the same key is reported", () => {
    const text = `${imports}const A = Context.Reference("@haft/core/Tools")\nconst B = Context.Reference("@haft/core/Tools")`
    assert.deepStrictEqual(sharedKeys([parse("core", "Tools.ts", text)]), ["@haft/core/Tools"])
  })
})
