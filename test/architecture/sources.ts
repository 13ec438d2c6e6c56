/** The packages as they are written: every module of every `packages/<name>/src`, parsed once. */
import {
  type Comment,
  type ExportNamedDeclaration,
  type ImportDeclaration,
  type ImportDeclarationSpecifier,
  type ModuleExportName,
  parseSync,
  type Program,
  Visitor
} from "oxc-parser"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"

export const repository = fileURLToPath(new URL("../..", import.meta.url))

/** Whatever makes one module name another: an import, a re-export, `import()` or an import type. */
export interface Import {
  readonly specifier: string
  /** Gone at run time. `import { type A }` is not: it still loads the module. */
  readonly isTypeOnly: boolean
  /** The local name of `import * as X`. */
  readonly namespace: string | undefined
  /** What is imported by name; `*` if it is the whole module in a way that hides which exports are used. */
  readonly names: ReadonlyArray<string>
}

export interface Source {
  /** Without the scope: `core`. */
  readonly package: string
  /** Below `src`, with forward slashes. */
  readonly path: string
  readonly text: string
  readonly program: Program
  readonly comments: ReadonlyArray<Comment>
  readonly imports: ReadonlyArray<Import>
}

export const parse = (packageName: string, path: string, text: string): Source => {
  const { comments, errors, program } = parseSync(path, text)
  const [error] = errors
  if (error !== undefined) throw new Error(`${packageName}/${path}: ${error.message}`)
  return { package: packageName, path, text, program, comments, imports: importsOf(program) }
}

const importsOf = (program: Program): ReadonlyArray<Import> => {
  const found: Array<Import> = []
  new Visitor({
    ImportDeclaration: (node) => found.push(ofDeclaration(node)),
    ExportNamedDeclaration: (node) => found.push(...ofReExport(node)),
    ExportAllDeclaration: ({ exportKind, source }) => found.push(whole(source.value, exportKind === "type")),
    ImportExpression: ({ source }) => {
      if (source.type === "Literal") found.push(whole(String(source.value), false))
    },
    TSImportType: ({ source }) => found.push(whole(source.value, true))
  }).visit(program)
  return found
}

const whole = (specifier: string, isTypeOnly: boolean): Import => ({
  specifier,
  isTypeOnly,
  namespace: undefined,
  names: ["*"]
})

const ofDeclaration = ({ importKind, source, specifiers }: ImportDeclaration): Import => ({
  specifier: source.value,
  isTypeOnly: importKind === "type",
  namespace: specifiers.find(({ type }) => type === "ImportNamespaceSpecifier")?.local.name,
  names: specifiers.flatMap(importedName)
})

const importedName = (specifier: ImportDeclarationSpecifier): ReadonlyArray<string> => {
  if (specifier.type === "ImportNamespaceSpecifier") return []
  return specifier.type === "ImportDefaultSpecifier" ? ["default"] : [nameOf(specifier.imported)]
}

const ofReExport = ({ exportKind, source, specifiers }: ExportNamedDeclaration): ReadonlyArray<Import> => {
  if (source === null) return []
  const names = specifiers.map(({ local }) => nameOf(local))
  return [{ specifier: source.value, isTypeOnly: exportKind === "type", namespace: undefined, names }]
}

export const nameOf = (name: ModuleExportName): string => (name.type === "Literal" ? name.value : name.name)

/** What an export statement declares. */
export const declaredNames = ({ declaration }: ExportNamedDeclaration): ReadonlyArray<string> => {
  if (declaration === null) return []
  if (declaration.type === "VariableDeclaration") {
    return declaration.declarations.flatMap(({ id }) => (id.type === "Identifier" ? [id.name] : []))
  }
  return declaration.id?.type === "Identifier" ? [declaration.id.name] : []
}

/** Where a reader finds the module. */
export const locate = (source: Source): string => `packages/${source.package}/src/${source.path}`

/** What a relative specifier leads to, below `src`. */
export const resolve = ({ path }: Pick<Source, "path">, specifier: string): string =>
  Path.posix.join(Path.posix.dirname(path), specifier)

/** Exported from the package's index: PascalCase, directly in `src`. */
export const isPublic = (source: Source): boolean => /^[A-Z][A-Za-z0-9]*\.ts$/.test(source.path)

/** The doc comment that ends directly before `position`, delimiters not included. */
export const docBefore = (source: Pick<Source, "comments" | "text">, position: number): string | undefined =>
  source.comments.findLast(
    ({ end, type, value }) =>
      end <= position && type === "Block" && value.startsWith("*") && source.text.slice(end, position).trim() === ""
  )?.value

const folder = Path.join(repository, "packages")

/** Without the scope, in alphabetical order. */
export const packages: ReadonlyArray<string> = Fs.readdirSync(folder)
  .filter((name) => Fs.existsSync(Path.join(folder, name, "package.json")))
  .toSorted()

const read = (packageName: string): ReadonlyArray<Source> => {
  const root = Path.join(folder, packageName, "src")
  return Fs.globSync("**/*.ts", { cwd: root })
    .map((path) => parse(packageName, path.replaceAll("\\", "/"), Fs.readFileSync(Path.join(root, path), "utf8")))
    .toSorted((left, right) => (left.path < right.path ? -1 : 1))
}

export const sources: ReadonlyArray<Source> = packages.flatMap(read)

export const sourcesOf = (packageName: string): ReadonlyArray<Source> =>
  sources.filter((source) => source.package === packageName)
