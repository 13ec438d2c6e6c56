/** Commands in a project directory, as a model would run them, and a look at what they leave behind. */
import { LocationJobs, LocationShell, Process, Read, Shell } from "@haft/builtins"
import { Session, type Tool, type ToolFailure } from "@haft/core"
import * as Testing from "@haft/core/testing"
import { NodeChildProcessSpawner } from "@haft/node"
import { Context, Effect, Layer, Schedule, Schema } from "effect"
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import { makePlace, type Options as PlaceOptions, type Place } from "./place.ts"

export interface ShellOptions extends LocationShell.Options {
  readonly jobs?: LocationJobs.Options
}

export interface Options extends ShellOptions {
  readonly place?: PlaceOptions
}

export interface ShellPlace extends Place {
  readonly shell: LocationShell.Interface
  readonly jobs: LocationJobs.Interface
  readonly tools: Readonly<Record<Name, Tool.Any>>
}

export type Name = "process" | "read" | "shell"

/** The program that isolates is hidden. */
export const notIsolated = { bubblewrap: "/no/such/program" }

export const layerOn = (place: Place, { jobs, ...options }: ShellOptions) =>
  LocationJobs.layer(jobs).pipe(
    Layer.provideMerge(LocationShell.layer(options)),
    Layer.provide(NodeChildProcessSpawner.layer),
    Layer.provideMerge(Layer.succeedContext(place.context))
  )

export const makeShellPlace = Effect.fnUntraced(function* ({ place: placeOptions, ...options }: Options = {}) {
  const place = yield* makePlace(placeOptions)
  const context = yield* Layer.build(layerOn(place, options))
  const tools = yield* Effect.provideContext(
    Effect.all({ shell: Shell.make, process: Process.make, read: Read.make }),
    context
  )
  return {
    ...place,
    shell: Context.get(context, LocationShell.Service),
    jobs: Context.get(context, LocationJobs.Service),
    tools
  } satisfies ShellPlace
})

export const otherSession: Tool.Context = { ...Testing.context, sessionID: Session.ID.make("other") }

/** What a model reads of a call that succeeded. */
export const textOf = Effect.fnUntraced(function* (
  place: ShellPlace,
  name: Name,
  input: unknown,
  context: Tool.Context = Testing.context
) {
  const { output } = yield* Testing.call(place.tools[name], input, { name, context })
  return output.content.map((part) => (part._tag === "Text" ? part.text : part.mimeType)).join("\n")
})

/** The structured value of a call that succeeded, to be compared. */
export const valueOf = Effect.fnUntraced(function* (
  place: ShellPlace,
  name: Name,
  input: unknown,
  context: Tool.Context = Testing.context
) {
  const { output } = yield* Testing.call(place.tools[name], input, { name, context })
  return Schema.decodeUnknownSync(Schema.JsonObject)(output.structured)
})

/** The failure of a call that failed; anything else dies. */
export const failureOf = Effect.fnUntraced(function* (
  place: ShellPlace,
  name: Name,
  input: unknown,
  context: Tool.Context = Testing.context
) {
  const error = yield* Effect.flip(Testing.call(place.tools[name], input, { name, context }))
  return error._tag === "ToolFailure" ? error : yield* Effect.die(error)
})

/** What a model reads of a call that failed. */
export const complaintOf = ({ hint, message, reason }: ToolFailure.ToolFailure): string =>
  [`${reason._tag}: ${message}`, ...(hint === undefined ? [] : [hint])].join("\n")

let markers = 0

/** A number of seconds to sleep that nobody else uses, by which the sleeper is found. */
export const makeMarker = (): string =>
  `${600 + (process.pid % 1000)}.${String(++markers).padStart(3, "0")}${process.pid}`

/** Processes that run and have the marker among their arguments. */
export const survivors = (marker: string): ReadonlyArray<string> =>
  Fs.readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => argumentsOf(pid).includes(marker))

/** None of one that is dead and not reaped yet. */
const argumentsOf = (pid: string): ReadonlyArray<string> => {
  try {
    return Fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")
  } catch {
    return []
  }
}

/** Waits for what another process does, with a bound that is never reached where it does. */
export const eventually = (isSo: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (isSo() ? Effect.void : Effect.fail("not yet"))).pipe(
    Effect.retry({ times: 2_000, schedule: Schedule.spaced("10 millis") }),
    Effect.orDie
  )

/** Whether commands can be isolated on this machine, found out without the code under test. */
export const hasBubblewrap: boolean = (() => {
  try {
    execFileSync("bwrap", ["--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", "true"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
})()
