import { assert, describe, it } from "@effect/vitest"
import { cyclesOf, graphOf, reachableFrom } from "./cycles.ts"
import { packages, parse, sourcesOf } from "./sources.ts"

const modules = (texts: Readonly<Record<string, string>>) =>
  graphOf(Object.entries(texts).map(([path, text]) => parse("core", path, text)))

describe("cycles between modules", () => {
  it.each(packages)("no module of %s loads itself through others", (name) => {
    assert.deepStrictEqual(cyclesOf(graphOf(sourcesOf(name))), [])
  })

  it("a cycle is reported with its path, through folders and re-exports", () => {
    const graph = modules({
      "A.ts": `import { b } from "./internal/b.ts"`,
      "internal/b.ts": `export * from "./c.ts"`,
      "internal/c.ts": `import { type A } from "../A.ts"`
    })
    assert.deepStrictEqual(cyclesOf(graph), ["A.ts → internal/b.ts → internal/c.ts → A.ts"])
  })

  it("a module that imports itself is a cycle", () => {
    assert.deepStrictEqual(cyclesOf(modules({ "A.ts": `import * as self from "./A.ts"` })), ["A.ts → A.ts"])
  })

  it("an import of types alone closes no cycle", () => {
    const graph = modules({ "A.ts": `import { b } from "./b.ts"`, "b.ts": `import type { A } from "./A.ts"` })
    assert.deepStrictEqual(cyclesOf(graph), [])
  })

  it("what a module loads is everything that can be reached from it", () => {
    const graph = modules({
      "A.ts": `import "./b.ts"`,
      "b.ts": `import "./c.ts"`,
      "c.ts": "",
      "d.ts": `import "./A.ts"`
    })
    assert.deepStrictEqual([...reachableFrom(graph, "A.ts")], ["A.ts", "b.ts", "c.ts"])
  })
})
