import { assert, describe, it } from "@effect/vitest"
import { Protected } from "@haft/policy"
import { Schema } from "effect"

const levelOf = Protected.make()

const guarded = [
  ".git/hooks/pre-commit",
  ".git/hooks/nested/deeper/file",
  ".git/config",
  ".git/config.worktree",
  ".git/modules/lib/hooks/post-merge",
  ".git/modules/a/b/config",
  ".gitmodules",
  ".husky/pre-push",
  ".vscode/tasks.json",
  ".vscode/launch.json",
  ".vscode/settings.json",
  "project.code-workspace",
  ".idea/workspace.xml",
  ".devcontainer/devcontainer.json",
  ".mcp.json",
  ".cursor/mcp.json",
  ".envrc",
  ".npmrc",
  ".pnpmfile.cjs",
  ".github/workflows/ci.yml",
  ".gitlab-ci.yml",
  "haft.json",
  ".haft/plugins/own.ts"
]

const free = [
  "hooks/pre-commit",
  ".git/HEAD",
  ".git/hooks-notes/a",
  ".gitignore",
  ".vscode/extensions.json",
  "git/config",
  ".github/README.md",
  "src/haft.json.ts",
  "workflows/ci.yml",
  "src/index.ts",
  ""
]

describe("protected paths", () => {
  it.each(guarded)("%s is changed only with an approval of its own, at any depth", (path) => {
    for (const at of [path, `nested/repository/${path}`, `/absolute/${path}`]) {
      assert.strictEqual(levelOf("edit", at), "specific", at)
      assert.strictEqual(levelOf("read", at), undefined, at)
    }
  })

  it.each(free)("%j is changed as rules say", (path) => {
    for (const at of [path, `nested/${path}`]) assert.strictEqual(levelOf("edit", at), undefined, at)
  })

  it("are the same in every spelling that some file system takes for the same", () => {
    const spellings = [
      ".GIT/Hooks/x",
      ".Git/HOOKS",
      ".g\u200cit/hooks/x",
      ".git./hooks /x",
      ".git/ho\u006f\ufeffks/x",
      ".git/./hooks//x",
      "a/../.git/hooks/x",
      ".git/objects/../hooks/x",
      ".\u212Airby/../.hus\u212Ay/x",
      ".VſCODE/tasks.jſon"
    ]
    for (const path of spellings) assert.strictEqual(levelOf("edit", path), "specific", path)
  })

  it("in composed and in decomposed letters are one path", () => {
    const own = Protected.make({ specific: ["caf\u00e9/**"] })
    assert.strictEqual(own("edit", "cafe\u0301/x"), "specific")
    assert.strictEqual(own("edit", "CAFE\u0301/x"), "specific")
    assert.strictEqual(own("edit", "cafe/x"), undefined)
  })

  it("cannot be replaced by moving a directory on the way to them", () => {
    for (const path of [".git", ".git/hooks", ".github", ".github/workflows", ".vscode", "sub/.git/modules"]) {
      assert.strictEqual(levelOf("edit", path), "specific", path)
    }
  })

  it("of a host's own come in addition", () => {
    const own = Protected.make({ never: ["/var/lib/haft/**"], specific: ["tools/hooks/**"], reading: ["inspect"] })
    assert.strictEqual(own("read", "/var/lib/haft/calls.db"), "never")
    assert.strictEqual(own("edit", "tools/hooks/pre-commit"), "specific")
    assert.strictEqual(own("inspect", "tools/hooks/pre-commit"), undefined)
    assert.strictEqual(own("edit", ".npmrc"), "specific")
    assert.strictEqual(own("edit", "var/other"), undefined)
  })

  it("are not meant by addresses that end like them", () => {
    assert.strictEqual(levelOf("fetch", "https://example.com/repo/.github/workflows/ci.yml"), undefined)
  })

  it("do not become everything by a pattern of nothing but wildcards on the way", () => {
    assert.strictEqual(Protected.make({ specific: ["*/secret", "**/other", ""] })("edit", "anything/at/all"), undefined)
  })

  it.prop(
    "are protected in whatever letter case and below whatever directory",
    [Schema.Literals(guarded), Schema.Array(Schema.Boolean), Schema.Array(Schema.Literals(["a", "B c", "東"]))],
    ([path, cases, directories]) => {
      const spelled = [...path].map((letter, index) => (cases[index] === true ? letter.toUpperCase() : letter)).join("")
      assert.strictEqual(levelOf("edit", [...directories, spelled].join("/")), "specific")
    }
  )
})
