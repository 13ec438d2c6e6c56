import { assert, describe, it } from "@effect/vitest"
import { Agent, Location, Session, ToolCall } from "@haft/core"
import { Approval, type Approvals, Display } from "@haft/policy"
import { Schema } from "effect"

const pending = (change: Partial<Approvals.Pending["request"]> = {}, tool = "write"): Approvals.Pending => ({
  id: Approval.ID.make("apr_00000000-0000-4000-8000-000000000000"),
  location: Location.Ref.make("/project"),
  binding: "",
  context: {
    sessionID: Session.ID.make("s-1"),
    agent: Agent.ID.make("main"),
    assistantMessageID: Session.MessageID.make("m-1"),
    toolCallID: ToolCall.ID.make("c-1")
  },
  tool,
  request: { action: "edit", resources: ["src/a.ts"], save: ["src/*"], metadata: {}, ...change },
  protectedPaths: [],
  askedAt: 0,
  expiresAt: 1,
  isWaiting: true
})

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

const hidden = [
  ...range(0x00, 0x1f).filter((code) => code !== 0x0a),
  ...range(0x7f, 0x9f),
  0x2028,
  0x2029,
  0xad,
  0x61c,
  0x180e,
  0xfeff,
  0x115f,
  0x1160,
  0x3164,
  0xffa0,
  ...range(0x200b, 0x200f),
  ...range(0x202a, 0x202e),
  ...range(0x2060, 0x206f),
  ...range(0xfe00, 0xfe0f),
  ...range(0xe0100, 0xe01ef),
  ...range(0xe0000, 0xe007f),
  0xa0,
  0x2003,
  0x3000,
  0xd800,
  0xdfff
]

/** Reads back what `visible` wrote. */
const readBack = (shown: string) =>
  shown.replaceAll(/\\u\{([0-9a-f]+)\}|\\n/g, (_, code) =>
    code === undefined ? "\n" : String.fromCodePoint(Number.parseInt(code, 16))
  )

const tricky = Schema.Array(
  Schema.Literals(["a", " ", "\\", "n", "u", "{", "}", "5c", "\n", "\r", "\u202e", "\u0301", "🛠", "\ud800", "é", "|"])
)

describe("visible text", () => {
  it("is what it was, where it was plain", () => {
    const plain = ["git status", 'grep -rn "a\\d+" src/*.ts | head', "Zürich 東京 🛠", "C:\\temp", ""]
    for (const text of plain) assert.strictEqual(Display.visible(text), text)
  })

  it("shows every character that hides, reverses or breaks", () => {
    for (const code of hidden) {
      const shown = Display.visible(`a${String.fromCodePoint(code)}b`)
      assert.strictEqual(shown, `a\\u{${code.toString(16)}}b`)
    }
    assert.strictEqual(Display.visible("git status\nrm -rf ."), String.raw`git status\nrm -rf .`)
  })

  it("lets four marks stand on a letter, and writes out the others", () => {
    const [four, five] = ["\u0301".repeat(4), "\u0301".repeat(5)]
    assert.strictEqual(Display.visible(`e${four}x`), `e${four}x`)
    assert.strictEqual(Display.visible(`e${five}x${four}`), `e${four}\\u{301}x${four}`)
  })

  it("shows a backslash as one where it could be taken for one of ours", () => {
    assert.strictEqual(Display.visible(String.raw`\u{202e}`), String.raw`\u{5c}u{202e}`)
    assert.strictEqual(Display.visible(String.raw`a\nb`), String.raw`a\u{5c}nb`)
    assert.strictEqual(Display.visible("\\\n"), "\\\\n")
  })

  it.prop("can be read back, so no two texts look the same", [tricky], ([parts]) => {
    assert.strictEqual(readBack(Display.visible(parts.join(""))), parts.join(""))
  })

  it.prop("is one line of printable characters, whatever the text", [Schema.String, tricky], ([text, parts]) => {
    for (const shown of [Display.visible(text), Display.visible(parts.join(""))]) {
      assert.notMatch(shown, /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|[^\S ]/u)
      assert.notMatch(shown, /\p{M}{5}/u)
    }
  })
})

/** Lines that only the prompt itself writes. */
const ours =
  /^(?:A tool asks for permission\.|Asked by|Action|Arguments|Resources|Protected: no broad rule opens these|Details|"Always" allows the action for|  \[\d+ (?:lines|characters) are not shown\])$/

describe("a prompt", () => {
  it("shows the tool, who calls it, what is to be done to what, the details and what always would mean", () => {
    const metadata = { diff: "-old\n+new\tline", root: "/project", sizes: [1, 2] }
    const request = { resources: ["src/a.ts", ".npmrc"], metadata, save: ["src/*"] }
    assert.deepStrictEqual(Display.prompt({ ...pending(request), protectedPaths: [".npmrc"] }).split("\n"), [
      "A tool asks for permission.",
      "  | write",
      "Asked by",
      "  | agent main in session s-1",
      "Action",
      "  | edit",
      "Resources",
      "  | src/a.ts",
      "  | .npmrc",
      "Protected: no broad rule opens these",
      "  | .npmrc",
      "Details",
      "  | diff:",
      "  |   -old",
      String.raw`  |   +new\u{9}line`,
      "  | root:",
      "  |   /project",
      "  | sizes:",
      "  |   [",
      "  |     1,",
      "  |     2",
      "  |   ]",
      '"Always" allows the action for',
      "  | src/*"
    ])
  })

  it("shows the arguments as they are decoded, text of several lines in lines, and nothing left out", () => {
    const input = {
      path: "src/a.ts",
      edits: [
        { old: "a\nb", new: "c" },
        { old: "\u202e", new: "", empty: [], none: null }
      ],
      options: { deep: [1, true] }
    }
    const lines = Display.prompt({ ...pending(), input }).split("\n")
    assert.deepStrictEqual(lines.slice(lines.indexOf("Arguments"), lines.indexOf('"Always" allows the action for')), [
      "Arguments",
      "  | path:",
      "  |   src/a.ts",
      "  | edits[0].old:",
      "  |   a",
      "  |   b",
      "  | edits[0].new:",
      "  |   c",
      "  | edits[1].old:",
      String.raw`  |   \u{202e}`,
      "  | edits[1].new:",
      "  |   ",
      "  | edits[1].empty:",
      "  |   []",
      "  | edits[1].none:",
      "  |   null",
      "  | options:",
      "  |   {",
      '  |     "deep": [',
      "  |       1,",
      "  |       true",
      "  |     ]",
      "  |   }"
    ])
  })

  it("shows a command of several lines as it is, with its backslashes", () => {
    const shown = Display.prompt(pending({ metadata: { command: 'printf "a\\nb"\nrm -rf .' } }))
    assert.include(shown, '\n  |   printf "a\\nb"\n  |   rm -rf .\n')
  })

  it("shows where an address leads if it reads otherwise", () => {
    const shown = Display.prompt(
      pending({ resources: ["https://аpple.com/login", "http://exa\nmple.com", "https://a.b/"] })
    )
    assert.include(shown, "\n  | https://аpple.com/login\n  |   goes to https://xn--pple-43d.com/login\n")
    assert.include(shown, "\n  | http://exa\\nmple.com\n  |   goes to http://example.com/\n")
    assert.include(shown, '\n  | https://a.b/\n"Always"')
  })

  it("says that no call of this process waits for the answer", () => {
    assert.include(Display.prompt({ ...pending(), isWaiting: false }), "Another process asked this.")
    assert.notInclude(Display.prompt(pending()), "Another process")
  })

  it("cuts long lines and long lists in the middle, and says how much is missing", () => {
    const [head, tail] = ["h".repeat(1500), "t".repeat(500)]
    const shown = Display.prompt(pending({ resources: [`${head}${"m".repeat(70_000)}${tail}`] }))
    assert.include(shown, `\n  | ${head}\n  [70000 characters are not shown]\n  | ${tail}\n`)
    const many = Display.prompt(pending({ resources: range(1, 1000).map(String) })).split("\n")
    assert.deepStrictEqual(many.slice(many.indexOf("  | 150"), many.indexOf("  | 951") + 1), [
      "  | 150",
      "  [800 lines are not shown]",
      "  | 951"
    ])
  })

  it("never cuts a character in two", () => {
    const shown = Display.prompt(pending({ resources: [`${"h".repeat(1499)}${"🛠".repeat(1000)}`] }))
    assert.isTrue(shown.isWellFormed())
    assert.notInclude(shown, "\\u{d")
  })

  it.prop(
    "has every word of others behind a bar, whatever they write",
    [tricky, Schema.Record(Schema.String, Schema.Json), Schema.String],
    ([parts, metadata, text]) => {
      const resources = [parts.join(""), text, "\nResources\n  | harmless"]
      const input = { [text]: [resources], metadata }
      const shown = Display.prompt({ ...pending({ resources, metadata, action: text, save: [text] }, text), input })
      const lines = shown.split("\n")
      assert.isTrue(lines.every((line) => line.startsWith("  | ") || ours.test(line)))
      assert.lengthOf(
        lines.filter((line) => line === "Resources"),
        1
      )
      assert.notMatch(shown, /[^\n\P{C}]/u)
    }
  )
})
