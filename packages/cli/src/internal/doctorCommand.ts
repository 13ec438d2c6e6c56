/** `haft doctor`: what works on this machine, and what to do about what does not. */
import * as LocationFiles from "@haft/builtins/LocationFiles"
import * as LocationSearch from "@haft/builtins/LocationSearch"
import * as SettlementStore from "@haft/core/SettlementStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Command from "effect/cli/Command"
import * as Host from "../Host.ts"
import * as Project from "../Project.ts"
import { exitCodes, ReportedError, type Told } from "./faults.ts"
import { answer, withProject } from "./haft.ts"
import { explained } from "./openingFaults.ts"
import { table } from "./table.ts"

/** Older ones lack `node:sqlite` as it is used here, and cannot run TypeScript. */
const leastNode = 24

interface Finding {
  readonly what: string
  readonly state: "ok" | "limited" | "broken"
  readonly told: string
}

export const doctor = Command.make("doctor", {}, () =>
  withProject(
    Effect.gen(function* () {
      const findings = [node(), yield* files, yield* search, yield* stores]
      yield* answer(
        findings.map((finding) => ({ ...finding })),
        () =>
          table(
            ["part", "state", ""],
            findings.map(({ state, told, what }) => [what, state, told])
          )
      )
      if (findings.some(({ state }) => state === "broken")) {
        return yield* new ReportedError({ exitCode: exitCodes.operational })
      }
    })
  )
).pipe(Command.withDescription("Check what works on this machine, for this project"))

const node = (): Finding => {
  const version = process.versions.node
  const isNew = Number.parseInt(version, 10) >= leastNode
  return isNew
    ? { what: "Node", state: "ok", told: version }
    : { what: "Node", state: "broken", told: `${version} is too old: install ${leastNode} or later` }
}

const layerFiles = Layer.unwrap(Effect.map(Project.Service, ({ root }) => LocationFiles.layer({ root })))

const files = Effect.map(LocationFiles.Service, ({ confinement, root }): Finding =>
  confinement === "strict"
    ? { what: "files", state: "ok", told: `confined to ${root}, also against other processes` }
    : { what: "files", state: "limited", told: "confined only while nothing else changes them: /proc is missing" }
).pipe(Effect.provide(layerFiles), explained, orBroken("files"))

const search = Effect.map(LocationSearch.Service, ({ isolation }): Finding =>
  isolation === "namespace"
    ? { what: "search", state: "ok", told: "ripgrep, isolated by bubblewrap" }
    : { what: "search", state: "limited", told: "ripgrep checked result by result: bubblewrap would isolate it" }
).pipe(Effect.provide(Layer.provide(LocationSearch.layer(), layerFiles)), explained, orBroken("search"))

const stores = Effect.gen(function* () {
  const { state } = yield* Project.Service
  const { length } = yield* (yield* SettlementStore.Service).unfinished
  const left = length === 0 ? "" : `; ${length} calls were left unfinished, see haft log`
  const finding: Finding = { what: "store", state: "ok", told: `${state.directory}${left}` }
  return finding
}).pipe(Effect.provide(Host.layerStores), explained, orBroken("store"))

/** A part that does not work is a finding, and the others are looked at all the same. */
function orBroken(what: string) {
  return <R>(effect: Effect.Effect<Finding, Told, R>): Effect.Effect<Finding, never, R> =>
    Effect.catch(effect, ({ fix, message }) =>
      Effect.succeed<Finding>({ what, state: "broken", told: fix === undefined ? message : `${message} ${fix}` })
    )
}
