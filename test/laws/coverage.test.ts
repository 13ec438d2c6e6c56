import { assert, describe, it } from "@effect/vitest"
import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseSync, Visitor } from "oxc-parser"
import { type LawID, laws, open } from "./manifest.ts"

const root = join(import.meta.dirname, "../..")
const ids = Object.keys(laws) as ReadonlyArray<LawID>

/** The first argument of every call of `law` in a source. */
const citationsIn = (source: string): ReadonlyArray<string> => {
  const cited: Array<string> = []
  const visitor = new Visitor({
    CallExpression: ({ arguments: [id], callee }) => {
      if (callee.type !== "Identifier" || callee.name !== "law") return
      if (id?.type === "Literal" && typeof id.value === "string") cited.push(id.value)
    }
  })
  visitor.visit(parseSync("source.ts", source).program)
  return cited
}

const cited = new Set(
  globSync("{test,packages/*/test}/**/*.test.ts", { cwd: root, exclude: ["**/node_modules/**"] }).flatMap((file) =>
    citationsIn(readFileSync(join(root, file), "utf8"))
  )
)

describe("the laws", () => {
  it("are found where a test cites them, and not where a comment or a string does", () => {
    assert.deepStrictEqual(citationsIn('law("a", "claim", f) // law("b")\nconst c = "law(\\"c\\")"; other("d")'), ["a"])
  })

  it.each(ids.filter((id) => open[id] === undefined))("%s has a test", (id) => {
    assert.isTrue(cited.has(id))
  })

  it.each(Object.entries(open))("%s is open only as long as there is no %s", (id, file) => {
    assert.isFalse(existsSync(join(root, file)))
    assert.isFalse(cited.has(id))
  })

  it("stand in docs/laws.md, each with its sentence, and no others", () => {
    const text = readFileSync(join(root, "docs/laws.md"), "utf8")
    const documented = [...text.matchAll(/^\| `([a-z-]+)` *\| (.+?) *\|/gm)].map(([, id, sentence]) => [id, sentence])
    assert.deepStrictEqual(documented, Object.entries(laws))
  })
})
