/**
 * Imports the modules of plugins with Node's own loader. It is the one place in Haft whose import says at run time only
 * what it is for: the host names it.
 */
import * as Module from "node:module"

/** A module that is to be imported, and which state of its files is meant. */
export interface Wanted {
  /** A file's URL, or the name of a package. */
  readonly specifier: string
  /** The URL from which a package is looked for. */
  readonly parent: string
  /** Node keeps every module that it has loaded, by its URL, so each state of a file needs one of its own. */
  readonly digest: string
}

export const importPlugin = (wanted: Wanted): Promise<unknown> => {
  hooks ??= Module.registerHooks({ resolve })
  const request = `${scheme}${++requests}`
  pending.set(request, wanted)
  return import(request).finally(() => pending.delete(request))
}

const scheme = "haft-plugin:"
const marker = "haft"
const pending = new Map<string, Wanted>()
let requests = 0
let hooks: Module.ModuleHooks | undefined

/** What a plugin and its host must have in common, because their values meet. It is the host's, wherever the plugin is. */
const shared = /^(?:effect|@haft\/(?:core|plugin-api))(?:\/|$)/

const resolve: Module.ResolveHookSync = (specifier, context, next) => {
  const wanted = pending.get(specifier)
  if (wanted !== undefined) {
    return marked(next(wanted.specifier, { ...context, parentURL: wanted.parent }), wanted.digest)
  }
  const digest = digestIn(context.parentURL)
  if (digest === undefined) return next(specifier, context)
  if (shared.test(specifier)) return next(specifier, { ...context, parentURL: import.meta.url })
  const resolved = next(specifier, context)
  return specifier.startsWith(".") ? marked(resolved, digest) : resolved
}

const marked = (resolved: Module.ResolveFnOutput, digest: string): Module.ResolveFnOutput => {
  const url = new URL(resolved.url)
  url.searchParams.set(marker, digest)
  return { ...resolved, url: url.href }
}

/** Only modules that a plugin has imported are marked. */
const digestIn = (url: string | undefined): string | undefined =>
  url?.startsWith("file:") === true ? (new URL(url).searchParams.get(marker) ?? undefined) : undefined
