/**
 * Makes tools that work in two phases of three tools each: one that prepares, one that commits and one that rolls back. What
 * is prepared is committed once or rolled back once: by its deadline, or when the process ends before.
 */
import type { CallRequest } from "@haft/wire/CallRequest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as CommitLedger from "./CommitLedger.ts"
import * as Gateway from "./Gateway.ts"
import { commit, dropped } from "./internal/commit.ts"
import type { Phases } from "./internal/phases.ts"
import { prepare } from "./internal/prepare.ts"
import { type Rollbacks, rollbacks } from "./internal/rollbacks.ts"
import { unknownTool } from "./internal/unknownTool.ts"

/** Which tool, and which function of it, does the work of one phase. */
export type { Phases, Target } from "./internal/phases.ts"

/** The function that commits. Its input is `{ commit_token }`; everything else prepares. */
export const commitFunction = "commit"

/** The three functions `prepare`, `commit` and `rollback` of a tool that is published in versions. */
export const functionsOf = (toolId: string): Phases => ({
  prepare: { toolName: toolId, fn: "prepare" },
  commit: { toolName: toolId, fn: "commit" },
  rollback: { toolName: toolId, fn: "rollback" }
})

/**
 * A gateway in front of another, for tools with phases; other calls pass through. By tool id. The tools that do the work of
 * a phase are known to nobody outside: called by themselves, they would commit what nobody has prepared.
 */
export const layer = (
  tools: Readonly<Record<string, Phases>>
): Layer.Layer<Gateway.Service, CommitLedger.StorageError, Gateway.Service | CommitLedger.Service> =>
  Layer.effect(
    Gateway.Service,
    Effect.gen(function* () {
      const gateway = yield* Gateway.Service
      const ledger = yield* CommitLedger.Service
      const byId = new Map(Object.entries(tools))
      const targets = Object.values(tools).flatMap(({ commit, prepare, rollback }) => [prepare, commit, rollback])
      const inner = new Set(targets.map(({ toolName }) => toolName))
      const pending = yield* rollbacks(gateway, ledger, byId)
      return {
        ...gateway,
        call: (request, options) => {
          const phases = byId.get(request.toolId ?? request.toolName)
          if (phases !== undefined) return twoPhase({ gateway, ledger, phases, pending }, request, options)
          const { toolName } = request
          return inner.has(request.toolId ?? toolName)
            ? dropped(gateway, request, unknownTool(toolName))
            : gateway.call(request, options)
        }
      }
    })
  )

interface Parts {
  readonly gateway: Gateway.Interface
  readonly ledger: CommitLedger.Interface
  readonly phases: Phases
  readonly pending: Rollbacks
}

const twoPhase = (parts: Parts, request: CallRequest, options: Gateway.CallOptions | undefined) =>
  request.fn === commitFunction ? commit(parts, request, options) : prepare(parts, request, options)
