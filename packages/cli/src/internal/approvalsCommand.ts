/** `haft approvals`: what waits for a person, in whichever process, and how the person decides. */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { answer, haft } from "./haft.ts"
import * as Sentences from "./sentences.ts"

const id = Argument.String("id").pipe(Argument.withDescription("The approval, as `haft approvals` names it"))

const feedback = Flag.String("feedback").pipe(Flag.withDescription("What the model is to do instead"), Flag.optional)

/** What it needs of the gateway is loaded only here. */
const desk = Effect.promise(() => import("./projectApprovals.ts"))

const approve = Command.make("approve", { id }, ({ id }) => decide(id, { decision: "approve" })).pipe(
  Command.withDescription("Let exactly this call go on, once")
)

const deny = Command.make("deny", { id, feedback }, ({ feedback, id }) =>
  decide(id, { decision: "deny", ...(Option.isSome(feedback) ? { feedback: feedback.value } : {}) })
).pipe(Command.withDescription("Refuse it"))

const decide = Effect.fnUntraced(function* (
  id: string,
  decision: { readonly decision: "approve" | "deny"; readonly feedback?: string }
) {
  const decided = yield* Effect.flatMap(desk, (desk) => desk.decide(id, decision))
  yield* answer(decided, () => Sentences.decided(id, decided.phase))
})

export const approvals = Command.make(
  "approvals",
  {},
  Effect.fnUntraced(function* () {
    const waiting = yield* Effect.flatMap(desk, (desk) => desk.waiting)
    const { json } = yield* haft
    if (!json && waiting.length === 0) return yield* Console.log(Sentences.noApprovals)
    yield* answer(waiting, () =>
      waiting.map(({ expires_at, id, text }) => `${Sentences.approvalHead(id, expires_at)}\n${text}`).join("\n\n")
    )
  })
).pipe(
  Command.withSubcommands([approve, deny]),
  Command.withDescription("Show what waits for an approval, and decide about it"),
  Command.withExamples([
    { command: "haft approvals", description: "Everything that waits, with what exactly would run" },
    { command: "haft approvals approve apr_…", description: "The call goes on within a second" },
    { command: 'haft approvals deny apr_… --feedback "ask me tomorrow"', description: "The model reads why" }
  ])
)
