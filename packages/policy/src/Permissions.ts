/**
 * Decides about the permissions that tools ask for in one Location: by the host's rules, by what people saved, and by
 * asking somebody. It provides `Permission` to tools and `Approvals` to the host.
 */
import type * as Location from "@haft/core/Location"
import * as Permission from "@haft/core/Permission"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import * as Approval from "./Approval.ts"
import * as Approvals from "./Approvals.ts"
import { reply } from "./internal/answering.ts"
import { assert } from "./internal/asking.ts"
import { Board } from "./internal/board.ts"
import type { Policy } from "./internal/policy.ts"
import * as ShellJudge from "./internal/shellJudge.ts"
import { clearLater, follow } from "./internal/sharing.ts"
import * as PolicyStore from "./PolicyStore.ts"
import * as Protected from "./Protected.ts"
import * as Rule from "./Rule.ts"

/** What a host decides about one Location. */
export interface Options {
  /** Whose saved rules and approvals these are. */
  readonly location: Location.Ref
  /** The last that matches decides; where none does, somebody is asked. `Rule.decode` reads them from a configuration. */
  readonly rules?: ReadonlyArray<Rule.Rule>
  /** How long a request waits for an answer. */
  readonly timeLimit?: Duration.Input
  /**
   * What becomes of a request while nobody listens to `Approvals.changes`. `deny`, the default, refuses it at once: a run
   * without a person neither hangs nor grants. `wait` is for hosts whose people come and go.
   */
  readonly unattended?: "deny" | "wait"
  /** Paths to protect besides those of the table. */
  readonly protect?: Protected.Options
}

/** Long enough to look at something else first, and short enough that an answer still means what was asked. */
export const defaultTimeLimit = "10 minutes"

/** A timer cannot be set for much longer than three weeks. */
const maxTimeLimitMs = Duration.toMillis("7 days")

/** Closing its Scope refuses whatever waits. Build it for each Location, with a store that all of them may share. */
export const layer = (
  options: Options
): Layer.Layer<
  Permission.Service | Approvals.Service,
  Rule.InvalidRulesError | PolicyStore.StorageError,
  PolicyStore.Service
> => Layer.effectContext(make(options))

const make = Effect.fnUntraced(function* (options: Options) {
  const store = yield* PolicyStore.Service
  const rules = yield* Effect.fromResult(Rule.decode(options.rules ?? []))
  const policy: Policy = {
    location: options.location,
    store,
    judge: ShellJudge.make(rules, Protected.make(options.protect), options.location),
    board: yield* makeBoard(store),
    turnstile: yield* Semaphore.make(1),
    timeLimitMs: checkedLimit(options.timeLimit ?? defaultTimeLimit),
    unattended: options.unattended ?? "deny"
  }
  yield* takeOver(policy)
  yield* Effect.forkScoped(follow(policy))
  return services(policy)
})

/** A limit that nobody can mean is a mistake of the host's. */
const checkedLimit = (limit: Duration.Input): number => {
  const limitMs = Duration.toMillis(limit)
  if (limitMs >= 1 && limitMs <= maxTimeLimitMs) return limitMs
  throw new RangeError(`timeLimit must be between 1 ms and 7 days, not ${limitMs} ms`)
}

/** What a call waits for when it closes is gone for good: a call that is made again asks again. */
const makeBoard = (store: PolicyStore.Interface) =>
  Effect.acquireRelease(
    Effect.sync(() => new Board()),
    (board) => Effect.forEach(board.close(), (pending) => Effect.ignore(store.take(pending)), { discard: true })
  )

/** Shows what other processes have left without an answer, or still wait for, and clears it away in time. */
const takeOver = Effect.fnUntraced(function* (policy: Policy) {
  const { approvals } = yield* policy.store.read(policy.location)
  const now = yield* Clock.currentTimeMillis
  for (const approval of approvals) {
    const isOpen = Approval.isOpenAt(approval, now)
    if (isOpen && approval.decision === undefined) policy.board.show(approval)
    yield* Effect.forkScoped(clearLater(policy, approval, isOpen ? approval.expiresAt - now : 0))
  }
})

const services = (policy: Policy): Context.Context<Permission.Service | Approvals.Service> => {
  const { board, location, store } = policy
  return Context.make(Permission.Service, {
    assert: assert(policy),
    stops: (turn) => Effect.sync(() => board.isStopped(turn))
  }).pipe(
    Context.add(Approvals.Service, {
      changes: board.changes,
      reply: reply(policy),
      saved: Effect.map(store.read(location), ({ saved }) => saved),
      forget: (rule) => store.forget(location, rule)
    })
  )
}
