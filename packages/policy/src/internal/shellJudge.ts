/** What rules about files say about a command: which of its words are protected paths, and what it may not write or read. */
import type * as Permission from "@haft/core/Permission"
import * as Path from "node:path/posix"
import type * as Protected from "../Protected.ts"
import type * as Rule from "../Rule.ts"
import * as Judge from "./judge.ts"
import { isShell } from "./shellActions.ts"
import * as Resource from "./shellResource.ts"

/** Rules about commands decide about a command. Those about files can only take away. */
export const make = (rules: ReadonlyArray<Rule.Rule>, protection: Protected.Protection, root: string): Judge.Judge => {
  const judge = Judge.make(rules, guarding(protection))
  return (saved, request) => {
    const verdict = judge(saved, request)
    if (verdict._tag === "Deny" || !isShell(request.action)) return verdict
    const onFiles = redirections(request, root).map((file) => judge([], { ...request, ...file }))
    return onFiles.find(({ _tag }) => _tag === "Deny") ?? verdict
  }
}

/** A word that names a protected path makes the command one that no broad rule opens: who knows what it does with it. */
const guarding =
  (protection: Protected.Protection): Protected.Protection =>
  (action, resource) => {
    if (!isShell(action)) return protection(action, resource)
    const levels = Resource.wordsOf(resource)
      .flatMap((word) => [word, word.slice(word.indexOf("=") + 1)])
      .map((path) => protection(action, path))
    return levels.find((level) => level === "never") ?? levels.find((level) => level === "specific")
  }

/** A path can be meant from the root, from the working directory, or as it stands. */
const redirections = ({ metadata, resources }: Permission.Request, root: string) => {
  const base = Path.resolve("/", root)
  const cwd = typeof metadata["cwd"] === "string" ? metadata["cwd"] : "."
  return resources.flatMap((resource) => {
    const redirection = Resource.redirectionOf(resource)
    if (redirection === undefined) return []
    const { action, path } = redirection
    const places = [Path.resolve(base, path), Path.resolve(base, cwd, path)]
    const spellings = new Set([path, ...places, ...places.map((place) => Path.relative(base, place))])
    return [{ action, resources: [...spellings] }]
  })
}
