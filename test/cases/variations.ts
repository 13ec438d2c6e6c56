/** Entries of our own in the form of the corpus: the same attacks in other spellings, so that no rule fits one entry alone. */
import type { Schema } from "effect"
import type { BadInput } from "./corpus.ts"

type Setup = ReadonlyArray<Schema.JsonObject>

interface Variation {
  readonly tool: string
  readonly input: Schema.Json
  readonly setup?: Setup
}

const read = (path: string, setup: Setup = []) => ({ tool: "read", input: { path }, setup })
const write = (path: string, setup: Setup = []) => ({ tool: "write", input: { path, content: "x" }, setup })
const edit = (path: string, setup: Setup = []) => ({ tool: "edit", input: { path, old: "old", new: "new" }, setup })
const patch = (lines: ReadonlyArray<string>, setup: Setup = []) => ({
  tool: "apply_patch",
  input: { patch: ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n") },
  setup
})
const glob = (pattern: string) => ({ tool: "glob", input: { pattern } })
const grep = (pattern: string, more: Schema.JsonObject = {}) => ({ tool: "grep", input: { pattern, ...more } })

const file = (path: string, content = "old") => ({ op: "file", path, content })
const link = (path: string, target: string) => ({ op: "symlink", path, target })

/** Neither read nor written. */
const outside = [
  "../../../../../../etc/passwd",
  "a/b.txt/../../../outside.txt",
  "../outside.txt ",
  "${W}/../outside.txt",
  "${W}/a/../../outside.txt",
  "//etc/passwd",
  "/etc/../etc/passwd",
  "/proc/1/environ",
  "/proc/self/cwd/a/b.txt",
  "/proc/thread-self/root/etc/passwd",
  "/dev/fd/0",
  "/dev/zero",
  "/sys/class/net",
  "${STORE}/haft.db",
  "a/b.txt\u0000",
  ""
]

/** Names like others, of which nothing is expanded, decoded or trimmed, and there are no such files. */
const odd = [
  "~/.ssh/id_rsa",
  "~root/.bashrc",
  "${HOME}/.netrc",
  "file:///etc/passwd",
  "file://${W}/a/b.txt",
  " ../outside.txt",
  "..%2foutside.txt",
  "%252e%252e/outside.txt",
  "..;/outside.txt",
  "．．/outside.txt",
  "‥/outside.txt",
  "....//outside.txt",
  "..\u200b/outside.txt",
  "a/b.txt\u200b",
  "A/B.TXT"
]

const protectedPaths = [
  ".git/config",
  ".git/config.worktree",
  ".GIT/hooks/post-checkout",
  ".git/Hooks/pre-push",
  "packages/x/.git/hooks/pre-commit",
  ".git/modules/sub/hooks/pre-commit",
  ".gitmodules",
  ".husky/pre-commit",
  ".vscode/settings.json",
  ".vscode/launch.json",
  ".idea/workspace.xml",
  ".devcontainer/devcontainer.json",
  "project.code-workspace",
  ".mcp.json",
  ".cursor/mcp.json",
  ".claude/settings.json",
  ".envrc",
  ".npmrc",
  "packages/x/.npmrc",
  ".pnpmfile.cjs",
  ".github/workflows/ci.yml",
  "haft.json",
  ".haft/plugins/evil.ts"
]

const rejected: ReadonlyArray<Variation> = [
  ...outside.flatMap((path) => [read(path), write(path)]),
  ...odd.map((path) => read(path)),
  ...protectedPaths.flatMap((path) => [write(path), edit(path, [file(path)])]),
  write(".haft-00000000000000000000000000000000.tmp"),
  write(".haft-00000000000000000000000000000000.old"),
  write("hooks/pre-commit", [{ op: "dir", path: ".git/hooks" }, link("hooks", ".git/hooks")]),
  edit("settings", [file(".git/config"), link("settings", ".git/config")]),
  write("g/hooks/x", [{ op: "dir", path: ".git" }, link("g", ".git")]),
  write("githooks/pre-commit", [file(".git/config", "[core]\n\thooksPath = githooks\n")]),
  write("Tools/Hooks/pre-commit", [file(".git/config", '[CORE]\nbare = false\n  HooksPath="./tools/hooks" ; ours\n')]),
  write("meta/hooks/pre-commit", [file(".git", "gitdir: meta\n"), file("meta/HEAD", "ref: refs/heads/main\n")]),
  patch(["*** Add File: .git/hooks/pre-commit", "+id"]),
  patch(["*** Add File: fine.txt", "+x", "*** Add File: .npmrc", "+x"]),
  patch(["*** Update File: a/b.txt", "*** Move to: .husky/pre-commit", "@@", "-ok", "+id"]),
  patch(["*** Update File: a/b.txt", "*** Move to: ../moved.txt", "@@", "-ok", "+x"]),
  patch(["*** Update File: a/b.txt", "*** Move to: ln/moved.txt", "@@", "-ok", "+x"]),
  patch(["*** Delete File: ../outside.txt"]),
  patch(["*** Delete File: .gitmodules"], [file(".gitmodules")]),
  patch(["*** Update File: a/b.txt", "@@", "-ok", "+x", "*** Delete File: a/./b.txt"]),
  read(
    "chain0",
    Array.from({ length: 40 }, (_, index) => link(`chain${index}`, `chain${index + 1}`))
  ),
  read("one", [link("one", "two"), link("two", "one")]),
  read("up", [link("up", "..")]),
  read("away", [link("away", "../out/s.txt")]),
  read("absolute", [link("absolute", "/etc/passwd")]),
  write("deep/link/new.txt", [link("deep/link", "../../out")]),
  read("pipe", [{ op: "fifo", path: "pipe" }]),
  write("pipe", [{ op: "fifo", path: "pipe" }]),
  edit("sock", [{ op: "unixSocket", path: "sock" }]),
  write("a", []),
  edit("binary", [{ op: "fileBytes", path: "binary", contentBase64: "b2xk//4=" }]),
  edit("many", [file("many", "old old")]),
  edit("overlap", [file("overlap", "oldold")]),
  { tool: "edit", input: { path: "aaa", old: "aa", new: "b" }, setup: [file("aaa", "aaa")] },
  { tool: "edit", input: { path: "a/b.txt", old: "ok", new: "ok" } },
  { tool: "read", input: { path: "a/b.txt", offset: 0 } },
  { tool: "read", input: { path: "a/b.txt", offset: -1 } },
  { tool: "read", input: { path: "a/b.txt", limit: 0 } },
  read("x/".repeat(64) + "x"),
  read("x".repeat(5000)),
  ...["/etc/**", "../**", "a/../../*", "{a,../..}/*", "{a,{b,..}}/*", "a/{..,b}/../*"].map(glob),
  ...["(", "*a", "a**b)", "(?=x)", "(?<=x)y", "(?<n>a)\\k<n>", "\\1", "[z-a]", "x{3,1}", "(?P<a>x)(?P<a>y)"].map(
    (pattern) => grep(pattern)
  ),
  grep("x", { path: "../out" }),
  grep("x", { path: "/etc" }),
  grep("x", { path: "ln" }),
  grep("x", { include: "../*" }),
  grep("a\u0000b")
]

const accepted: ReadonlyArray<Variation> = [
  ...["a/../a/b.txt", "./a/b.txt", "a//b.txt", "${W}/a/b.txt", "${W}//a/./b.txt"].map((path) => read(path)),
  ...[
    "-rf",
    "..hidden/f",
    "...",
    "'quoted'",
    "tab\there",
    "日本語.txt",
    "e\u0301",
    "\u00e9",
    "$HOME",
    "~",
    "%2e%2e",
    "*?[x]"
  ].map((path) => read(path, [file(path, "ok")])),
  read("inside", [link("inside", "a/b.txt")]),
  read("whole", [link("whole", "${W}/a/b.txt")]),
  read("dir/up/b.txt", [link("dir/up", "../a")]),
  write("new/deep/er/file.txt"),
  write(".gitignore"),
  write(".github/CODEOWNERS"),
  write("git/hooks/pre-commit"),
  write("githooks-docs/readme.md", [file(".git/config", "[core]\n\thooksPath = githooks\n")]),
  write("src/config.ts"),
  ...["--version", "-f/etc/passwd", "--no-such-option", "\\$\\("].map((pattern) => grep(pattern, { path: "." }))
]

const bounded: ReadonlyArray<Variation> = [
  write("hard", [{ op: "hardlink", path: "hard", target: "../victim.txt" }]),
  ...[
    "**",
    "**/**/**/**",
    "\\../*",
    "[.][.]/*",
    "{a,b,c}{a,b,c}{a,b,c}{a,b,c}{a,b,c}{a,b,c}{a,b,c}{a,b,c}",
    "[!a-z]*",
    "?".repeat(4000)
  ].map(glob),
  ...[
    "(a*)*b",
    "(.*)(.*)(.*)(.*)(.*)[^a]",
    "(\\w+\\s?)*$",
    "x{1000}{1000}",
    "[\\s\\S]*",
    "^",
    "\\p{Greek}",
    "(?s).*"
  ].map((pattern) => grep(pattern)),
  { tool: "read", input: { path: "a/b.txt", limit: 9_007_199_254_740_991 } },
  read("zeros", [{ op: "sparse", path: "zeros", bytes: 68_719_476_736 }])
]

const labelled = (must: BadInput["must"], entries: ReadonlyArray<Variation>): ReadonlyArray<BadInput> =>
  entries.map(({ input, setup = [], tool }, index) => ({
    id: `own-${must}-${index + 1}`,
    category: "paths",
    tool,
    input,
    setup,
    must,
    why: JSON.stringify(input).slice(0, 80)
  }))

export const variations: ReadonlyArray<BadInput> = [
  ...labelled("reject", rejected),
  ...labelled("accept", accepted),
  ...labelled("bounded", bounded)
]
