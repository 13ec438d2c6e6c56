import { assert, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"

/** Belong to transports to tools that run elsewhere and to an MCP client, which are not built. */
const open = [22, 23, 24, 25, 26, 27, 28, 29, 31, 45, 46, 48]

const all = Array.from({ length: 48 }, (_, index) => index + 1)

const root = new URL("../../../", import.meta.url)

interface Cited {
  readonly number: number
  readonly title: string
  /** From `packages` on. */
  readonly file: string
}

const citedIn = (folder: string): ReadonlyArray<Cited> =>
  Fs.readdirSync(new URL(`packages/${folder}`, root))
    .filter((name) => name.endsWith(".test.ts") && name !== "criteria.test.ts")
    .flatMap((name) => {
      const text = Fs.readFileSync(new URL(`packages/${folder}/${name}`, root), "utf8")
      return Array.from(text.matchAll(/"M(\d+): ([^"]*)"/g), ([, number, title = ""]) => ({
        number: Number(number),
        title,
        file: `${folder}/${name}`
      }))
    })

const cited = [...citedIn("gateway/test"), ...citedIn("policy/test")]

describe("the criteria M1 to M48 of governed calls", () => {
  it("each have a test that cites them, or are open", () => {
    const numbers = new Set(cited.map(({ number }) => number))
    assert.deepStrictEqual(
      all.filter((number) => !numbers.has(number)),
      open
    )
  })

  it("stand in docs/criteria.md with these tests and no others", () => {
    const rows = Fs.readFileSync(new URL("docs/criteria.md", root), "utf8")
      .split("\n")
      .flatMap((line) => {
        const [, number, tests] = /^\| M(\d+) +\|[^|]*\| (.*) \|$/.exec(line) ?? []
        return number === undefined || tests === undefined ? [] : [[Number(number), tests.trim()] as const]
      })
    const expected = all.map((number) => {
      const tests = cited.filter((each) => each.number === number).map(({ file, title }) => `${title} (\`${file}\`)`)
      return [number, open.includes(number) ? "open" : tests.join("; ")] as const
    })
    assert.deepStrictEqual(rows, expected)
  })
})
