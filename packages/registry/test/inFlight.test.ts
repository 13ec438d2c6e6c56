import { assert, describe, it } from "@effect/vitest"
import { Agent, Session, ToolCall } from "@haft/core"
import { Arbitrary, Effect, Exit, Schema } from "effect"
import { Call } from "../src/internal/call.ts"
import { CallMap } from "../src/internal/callMap.ts"
import * as InFlight from "../src/internal/inFlight.ts"

/** Sessions and messages use the same ids, as those of models that count their calls do. */
const Identity = Schema.Struct({
  sessionID: Schema.Literals(["a", "b"]),
  messageID: Schema.Literals(["m", "n"]),
  callID: Schema.Literals(["1", "2"])
})

const callOf = ({ callID, messageID, sessionID }: typeof Identity.Type): Call =>
  new Call(
    {
      sessionID: Session.ID.make(sessionID),
      agent: Agent.ID.make("agent"),
      assistantMessageID: Session.MessageID.make(messageID),
      call: { id: ToolCall.ID.make(callID), name: "tool", input: {} }
    },
    0
  )

const keyOf = ({ callID, messageID, sessionID }: typeof Identity.Type): string => sessionID + messageID + callID

const Step = Schema.Struct({ identity: Identity, kind: Schema.Literals(["depart", "fly", "arrive"]) })

const steps = Arbitrary.array(Arbitrary.schema(Step), { maxLength: 40 })

describe("calls in flight", () => {
  it.effect.prop(
    "are found by their whole identity, whatever ids other sessions and messages use",
    { steps },
    ({ steps }) =>
      Effect.sync(() => {
        const flights = new InFlight.Flights()
        const model = new Map<string, Call>()
        for (const { identity, kind } of steps) {
          const known = model.get(keyOf(identity))
          const call = kind === "arrive" && known !== undefined ? known : callOf(identity)
          if (kind === "arrive") InFlight.arrive(flights, call, Exit.interrupt())
          else if (kind === "fly") InFlight.fly(flights, call)
          else InFlight.depart(flights, call)
          if (kind === "arrive") model.delete(keyOf(identity))
          else if (kind === "fly" || known === undefined) model.set(keyOf(identity), call)
          for (const step of steps) {
            assert.strictEqual(flights.find(callOf(step.identity).identity)?.call, model.get(keyOf(step.identity)))
          }
          assert.strictEqual(flights.isEmpty, model.size === 0)
        }
      }),
    { arbitrary: { runs: 500 } }
  )

  it("are not ended by another call with the same identity", () => {
    const flights = new InFlight.Flights()
    const identity = { sessionID: "a", messageID: "m", callID: "1" } as const
    const [flying, other] = [callOf(identity), callOf(identity)]
    InFlight.depart(flights, flying)
    InFlight.depart(flights, other)
    InFlight.cancel(flights, other)
    assert.strictEqual(flights.find(flying.identity)?.call, flying)
  })
})

describe("a map by call identity", () => {
  it.effect.prop(
    "agrees with a map by one text for each identity",
    { steps },
    ({ steps }) =>
      Effect.sync(() => {
        const map = new CallMap<number>()
        const model = new Map<string, number>()
        for (const [time, { identity, kind }] of steps.entries()) {
          const call = callOf(identity)
          assert.strictEqual(map.get(call.identity), model.get(keyOf(identity)))
          if (kind === "arrive") continue
          map.set(call.identity, time)
          model.set(keyOf(identity), time)
        }
      }),
    { arbitrary: { runs: 500 } }
  )
})
