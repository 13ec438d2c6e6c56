/** The approvals of a project, whichever of its processes asks for them. */
import * as Location from "@haft/core/Location"
import * as ApprovalDesk from "@haft/gateway/ApprovalDesk"
import * as Approval from "@haft/policy/Approval"
import * as Approvals from "@haft/policy/Approvals"
import * as PolicyStore from "@haft/policy/PolicyStore"
import * as Clock from "effect/Clock"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Host from "../Host.ts"
import * as Project from "../Project.ts"
import { UsageError } from "./faults.ts"
import { withStores } from "./haft.ts"
import { explained } from "./openingFaults.ts"
import * as Sentences from "./sentences.ts"

/** As the database has them: whoever asks has written it there before. */
const kept = Effect.gen(function* () {
  const { root } = yield* Project.Service
  const { approvals } = yield* Effect.flatMap(PolicyStore.Service, (store) => store.read(Location.Ref.make(root)))
  return approvals
})

export const waiting = withStores(
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    return (yield* kept)
      .filter((approval) => approval.decision === undefined && Approval.isOpenAt(approval, now))
      .map((approval) => ApprovalDesk.shown({ ...approval, isWaiting: false }))
  })
)

/** Whoever waits hears of it within a second. */
export const decide = (id: string, { decision, feedback }: ApprovalDesk.Decision) =>
  withStores(
    Effect.gen(function* () {
      const approval = (yield* kept).find((approval) => approval.id === id)
      if (approval === undefined) return yield* new UsageError(Sentences.unknownApproval(id))
      const by = yield* user
      const reply = decision === "approve" ? Approvals.once : Approvals.reject(feedback)
      yield* Effect.flatMap(Approvals.Service, (approvals) => approvals.reply(approval, reply, by))
      const phase = decision === "approve" ? "Approved" : "Denied"
      return { id, phase, decided_by: by } satisfies ApprovalDesk.Decided
    }).pipe(
      Effect.provide(Host.layerPolicy),
      Effect.catchTags({
        // What is decided already is not on the board of a process that has just started.
        "Approvals.UnknownError": ({ id }) => Effect.fail(new UsageError(Sentences.endedApproval(id, "answered"))),
        "Approvals.EndedError": ({ as, id }) => Effect.fail(new UsageError(Sentences.endedApproval(id, as)))
      }),
      explained
    )
  )

/** For the record. Whoever can write the database of the project may decide, whatever their name. */
const user = Config.withDefault(Config.NonEmptyString("USER"), "terminal").pipe(Effect.orElseSucceed(() => "terminal"))
