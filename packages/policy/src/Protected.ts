/**
 * Paths that rules alone do not open, because what stands there is executed or obeyed later: hooks, configuration of
 * editors, agents and builds. They are compared with resolved paths, at any depth, whether or not something exists there.
 */
import * as Pattern from "./internal/pattern.ts"
import * as Sequence from "./internal/sequence.ts"

/**
 * `never`: no tool touches it, whatever a rule or a person says. `specific`: it is changed only after a person has
 * approved that very request, or where a rule allows it whose action and resource have no wildcard and name it.
 */
export type Level = "never" | "specific"

/** What a host adds to the table. Patterns of paths: `*` and `?` stay within a component, `**` stands for any number. */
export interface Options {
  /** Where the host keeps its stores, sockets and locks, if that is inside a Location. */
  readonly never?: ReadonlyArray<string>
  /** Such as configured plugins. Where Git's own files lead is told by the tools, as `guarded` in their requests. */
  readonly specific?: ReadonlyArray<string>
  /** Actions that change nothing, besides those of the tools that come with Haft. */
  readonly reading?: ReadonlyArray<string>
}

/** Files that writing leaves behind when a process dies at that moment. */
const never = [".haft-*.tmp", ".haft-*.old"]

const specific = [
  // What Git runs, and where it takes it from.
  ".git/hooks/**",
  ".git/config*",
  ".git/modules/**/hooks/**",
  ".git/modules/**/config*",
  ".git/worktrees/*/config*",
  ".gitmodules",
  ".husky/**",
  "lefthook.y*ml",
  ".lefthook.y*ml",
  ".pre-commit-config.yaml",
  // What editors run when a folder is opened.
  ".vscode/tasks.json",
  ".vscode/launch.json",
  ".vscode/settings.json",
  "*.code-workspace",
  ".idea/**",
  ".devcontainer/**",
  ".devcontainer.json",
  // Servers, commands and permissions of agents.
  ".mcp.json",
  "mcp.json",
  ".claude/**",
  ".codex/**",
  ".cursor/**",
  ".gemini/**",
  ".opencode/**",
  "opencode.json*",
  ".continue/**",
  ".kiro/**",
  ".roo/**",
  ".windsurf/**",
  ".zed/**",
  ".aider.conf.yml",
  "haft.json",
  ".haft/**",
  // What shells, package managers and builds read on their own.
  ".envrc",
  ".npmrc",
  ".pnpmfile.*",
  ".yarnrc*",
  ".yarn/plugins/**",
  ".yarn/releases/**",
  "bunfig.toml",
  ".mise.toml",
  "mise.toml",
  // What a server runs after the next push.
  ".github/workflows/**",
  ".github/actions/**",
  ".gitlab-ci.yml",
  ".circleci/**",
  ".buildkite/**",
  ".woodpecker/**",
  ".woodpecker.y*ml",
  ".drone.yml",
  ".travis.yml",
  "azure-pipelines.yml",
  "bitbucket-pipelines.yml",
  "Jenkinsfile"
]

/** What is protected in every Location. */
export const table: Readonly<Record<Level, ReadonlyArray<string>>> = { never, specific }

const readingActions = ["read", "list", "glob", "grep", "fetch"]

/** How a resource is protected against an action, if it is. An action that nobody knows counts as a change. */
export type Protection = (action: string, resource: string) => Level | undefined

/** The table, and what a host adds. */
export const make = (options: Options = {}): Protection => {
  const closed = [...table.never, ...(options.never ?? [])].flatMap(pathsOf)
  const guarded = [...table.specific, ...(options.specific ?? [])].flatMap(pathsOf)
  const reading = new Set([...readingActions, ...(options.reading ?? [])])
  return (action, resource) => {
    const components = componentsOf(resource)
    const isAmong = (paths: ReadonlyArray<Path>) => paths.some((path) => Sequence.fits(grammar, path, components))
    if (isAmong(closed)) return "never"
    return !reading.has(action) && isAmong(guarded) ? "specific" : undefined
  }
}

const anyDepth = Symbol("anyDepth")

type Path = ReadonlyArray<Pattern.Pattern | typeof anyDepth>

const grammar: Sequence.Grammar<Path[number], string> = {
  isMany: (token) => token === anyDepth,
  takes: (token, component) => token !== anyDepth && Pattern.matches(token, component)
}

/** With the directories on the way to it: who could move or replace those could put something else there. */
const pathsOf = (text: string): ReadonlyArray<Path> => {
  const tokens = componentsOf(text).map((component) => (component === "**" ? anyDepth : Pattern.compile(component)))
  return tokens.map((_, index) => startingAnywhere(tokens.slice(0, index + 1))).filter(isNamed)
}

const startingAnywhere = (path: Path): Path => [anyDepth, ...path]

/** A path of nothing but wildcards is every path. */
const isNamed = (path: Path): boolean => path.some((token) => token !== anyDepth && token.some(Pattern.isCharacter))

const componentsOf = (path: string): ReadonlyArray<string> => {
  const components: Array<string> = []
  for (const component of path.split("/").map(folded)) {
    if (component === "..") components.pop()
    else if (component !== "" && component !== ".") components.push(component)
  }
  return components
}

/**
 * File systems differ in what they take for the same name: letter case, composition, invisible characters, and dots and
 * spaces at the end. Here everything is the same that is the same anywhere.
 */
const folded = (component: string): string => {
  const visible = component.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "").normalize("NFC")
  const caseless = visible.toUpperCase().toLowerCase().normalize("NFC")
  return caseless === "." || caseless === ".." ? caseless : withoutEnd(caseless)
}

const withoutEnd = (name: string): string => {
  let end = name.length
  while (end > 0 && ". ".includes(name.charAt(end - 1))) end--
  return name.slice(0, end)
}
