import { assert, describe, it } from "@effect/vitest"
import { undocumented } from "./documentation.ts"
import { parse, sources } from "./sources.ts"

describe("documentation", () => {
  it("a public module says what it gives, and so does every export of it", () => {
    assert.deepStrictEqual(sources.flatMap(undocumented), [])
  })

  it("a module without a comment at its top is reported", () => {
    assert.deepStrictEqual(undocumented(parse("core", "Tools.ts", `import "./Tool.ts"\n/** Late. */\nexport {}`)), [
      "packages/core/src/Tools.ts does not open with a doc comment"
    ])
  })

  it("every kind of export without a comment is reported", () => {
    const text = `/** Header. */
      import "./Tool.ts"
      export const value = 1
      export function call() {}
      export class Failure {}
      export interface Options {}
      export type Alias = string
      // Not a doc comment.
      export const other = 1`
    assert.deepStrictEqual(
      undocumented(parse("core", "Tools.ts", text)),
      ["value", "call", "Failure", "Options", "Alias", "other"].map((name) => `packages/core/src/Tools.ts: ${name}`)
    )
  })

  it("a comment elsewhere is enough for a service, a module's namesake and the type of a schema", () => {
    const text = `/** Header. */
      import "./Tool.ts"
      export interface Interface {}
      export class Service {}
      export interface Tools {}
      /** Documented. */
      export const ID = 1
      export type ID = typeof ID`
    assert.deepStrictEqual(undocumented(parse("core", "Tools.ts", text)), [])
  })

  it("what is not public needs no comment", () => {
    assert.deepStrictEqual(undocumented(parse("core", "internal/path.ts", "export const a = 1")), [])
  })
})
