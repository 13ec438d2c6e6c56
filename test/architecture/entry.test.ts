import { assert, describe, it } from "@effect/vitest"
import { entryFaults } from "./entry.ts"
import { packages, parse, sourcesOf } from "./sources.ts"

const faultsOf = (index: string) =>
  entryFaults([
    parse("core", "index.ts", index),
    ...["A.ts", "B.ts", "testing.ts"].map((path) => parse("core", path, ""))
  ])

describe("the index of a package", () => {
  it.each(packages)("the index of %s is the sorted list of its public modules", (name) => {
    assert.deepStrictEqual(entryFaults(sourcesOf(name)), [])
  })

  it("an index as it should be has no faults", () => {
    assert.deepStrictEqual(faultsOf(`export * as A from "./A.ts"\nexport * as B from "./B.ts"`), [])
  })

  it("anything but a namespace is reported", () => {
    const namespaces = `export * as A from "./A.ts"\nexport * as B from "./B.ts"\n`
    const others = [
      `export {}`,
      `export * from "./A.ts"`,
      `export { a } from "./A.ts"`,
      `export * as C from "./A.ts"`,
      `export type * as A from "./A.ts"`,
      `import "./A.ts"`
    ]
    for (const other of others) {
      assert.deepStrictEqual(faultsOf(namespaces + other), [
        `packages/core/src/index.ts holds more than namespaces: ${other}`
      ])
    }
  })

  it("a wrong order and a forgotten module are reported", () => {
    assert.deepStrictEqual(faultsOf(`export * as B from "./B.ts"\nexport * as A from "./A.ts"`), [
      "packages/core/src/index.ts is not sorted"
    ])
    assert.deepStrictEqual(faultsOf(`export * as A from "./A.ts"`), ["packages/core/src/B.ts is not in the index"])
  })

  it("a package without an index is reported", () => {
    assert.deepStrictEqual(entryFaults([parse("core", "A.ts", "")]), ["there is no index.ts"])
  })
})
