import { assert, describe, it } from "@effect/vitest"
import { anyTypes } from "./anyTypes.ts"
import { parse, sources } from "./sources.ts"

describe("the type any", () => {
  it("any is written in Tool.Codec and Tool.Any and nowhere else", () => {
    assert.deepStrictEqual(sources.flatMap(anyTypes), [])
  })

  it("any is reported wherever a type can stand", () => {
    const text = `export const open = (value: any): void => {}
      export type Codec = Array<any>
      const cast = value as any
      // any comment with "any" in it is none`
    assert.deepStrictEqual(anyTypes(parse("core", "Tools.ts", text)), [
      "packages/core/src/Tools.ts: open",
      "packages/core/src/Tools.ts: Codec",
      "packages/core/src/Tools.ts: line 3"
    ])
  })

  it("only the two named types of Tool.ts are free to use it", () => {
    const text = `export type Codec = any\nexport type Any = Tool<any, any>\nexport type Other = any`
    assert.deepStrictEqual(anyTypes(parse("core", "Tool.ts", text)), ["packages/core/src/Tool.ts: Other"])
    assert.strictEqual(anyTypes(parse("node", "Tool.ts", text)).length, 4)
  })
})
