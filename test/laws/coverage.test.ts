import { assert, describe, it } from "@effect/vitest"
import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseSync, Visitor } from "oxc-parser"
import { arrows } from "../architecture/arrows.ts"
import { comingFiles, type LawID, laws, open } from "./manifest.ts"

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
  globSync("test/laws/**/*.test.ts", { cwd: root }).flatMap((file) =>
    citationsIn(readFileSync(join(root, file), "utf8"))
  )
)

/** A package in the table of arrows, or one public module or entry of such a package. */
const isPlaced = (file: string): boolean => {
  const [, folder = ""] = /^packages\/([a-z-]+)\/(?:package\.json|src\/(?:[A-Z]\w*|files)\.ts)$/.exec(file) ?? []
  return Object.hasOwn(arrows, folder)
}

/** As `docs/laws.md` names it: a package, or a module of a package that is there already. */
const nameOf = (file: string): string =>
  file
    .replace(/^packages\/(.+)\/package\.json$/, "@haft/$1")
    .replace(/^packages\/(.+)\/src\/([a-z]\w*)\.ts$/, "@haft/$1/$2")
    .replace(/^packages\/.+\/(\w+)\.ts$/, "$1")

const shownBy = (id: LawID): string => {
  const file = open[id]
  return file === undefined ? "`test/laws`" : `open until \`${nameOf(file)}\``
}

/** The rows of the table: law, statement, shown by. */
const rowsIn = (markdown: string): ReadonlyArray<ReadonlyArray<string | undefined>> =>
  [...markdown.matchAll(/^\| `([a-z-]+)` *\| (.+?) *\| (.+?) *\|$/gm)].map(([, ...cells]) => cells)

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

  it.each(comingFiles)("wait for %s, which has its place among the packages", (file) => {
    assert.isTrue(isPlaced(file))
  })

  it("could not wait for a file that has no place", () => {
    for (const file of ["packages/regsitry/package.json", "packages/registry", "packages/core/src/repair.ts"]) {
      assert.isFalse(isPlaced(file))
    }
  })

  it("stand in docs/laws.md, each with its sentence and with what shows it, and no others", () => {
    const documented = rowsIn(readFileSync(join(root, "docs/laws.md"), "utf8"))
    assert.deepStrictEqual(
      documented,
      ids.map((id) => [id, laws[id], shownBy(id)])
    )
  })

  it("are read from docs/laws.md cell by cell", () => {
    assert.deepStrictEqual(rowsIn("| Law | Statement | Shown by |\n| `a-b` | It holds. | open until `X` |\n"), [
      ["a-b", "It holds.", "open until `X`"]
    ])
  })
})
