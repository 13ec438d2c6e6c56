/** The search tools on a project directory, with the engine isolated or not. */
import { Glob, Grep, type LocationFiles, LocationSearch } from "@haft/builtins"
import type { Permission, Tool, ToolFailure } from "@haft/core"
import * as Testing from "@haft/core/testing"
import { NodeChildProcessSpawner } from "@haft/node"
import { Context, Effect, Layer } from "effect"
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { makePlace, type Options, type Place } from "./place.ts"

/** Not everybody who runs these tests has the program; whoever decides about changes has. */
export const hasBubblewrap = ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap"].some((path) =>
  Fs.existsSync(path)
)

export const isolated: LocationSearch.Options = { isolation: "namespace" }
export const notIsolated: LocationSearch.Options = { bubblewrap: "/no/such/program" }

export interface SearchPlace extends Place {
  readonly search: LocationSearch.Interface
}

export const makeSearchPlace = Effect.fnUntraced(function* (
  search: LocationSearch.Options = notIsolated,
  options: Options = {}
) {
  const place = yield* makePlace(options)
  const context = yield* Layer.build(layerOn(place, search))
  return { ...place, search: Context.get(context, LocationSearch.Service) } satisfies SearchPlace
})

export const layerOn = (place: Place, search: LocationSearch.Options) =>
  LocationSearch.layer(search).pipe(Layer.provide([Layer.succeedContext(place.context), NodeChildProcessSpawner.layer]))

/** How a call ended, with what it reported. */
export const observe = Effect.fnUntraced(function* (place: SearchPlace, name: "glob" | "grep", input: unknown) {
  const context = Context.add(place.context, LocationSearch.Service, place.search)
  const makes: Effect.Effect<Tool.Any, never, Needs> = name === "glob" ? Glob.make : Grep.make
  return yield* Testing.observe(yield* Effect.provideContext(makes, context), input, { name })
})

type Needs = LocationFiles.Service | LocationSearch.Service | Permission.Service

const call = Effect.fnUntraced(function* (place: SearchPlace, name: "glob" | "grep", input: unknown) {
  return yield* (yield* observe(place, name, input)).exit
})

/** What a model reads of a search that succeeded. */
export const textOf = (place: SearchPlace, name: "glob" | "grep", input: unknown) =>
  Effect.map(call(place, name, input), ({ output }) =>
    output.content.map((part) => (part._tag === "Text" ? part.text : part.mimeType)).join("\n")
  )

/** The structured value of a search that succeeded. */
export const valueOf = (place: SearchPlace, name: "glob" | "grep", input: unknown) =>
  Effect.map(call(place, name, input), ({ output }) => output.structured)

/** What a model reads of a search that failed. */
export const complaintOf = Effect.fnUntraced(function* (place: SearchPlace, name: "glob" | "grep", input: unknown) {
  const error = yield* Effect.flip(call(place, name, input))
  return error._tag === "ToolFailure" ? complaint(error) : error._tag
})

const complaint = ({ hint, message, reason }: ToolFailure.ToolFailure): string =>
  [`${reason._tag}: ${message}`, ...(hint === undefined ? [] : [hint])].join("\n")

/** A program in place of the engine, in the directory beside the project. */
export const script = ({ above }: Place, name: string, text: string): string => {
  const path = Path.join(above, name)
  Fs.writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  return path
}

export const makePipe = (path: string): void => void execFileSync("mkfifo", [path])
