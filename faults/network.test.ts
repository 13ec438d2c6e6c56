import { assert, describe } from "@effect/vitest"
import { History, OpenAiChatModel } from "@haft/runner"
import { Effect, Layer, Result } from "effect"
import { FetchHttpClient } from "effect/http"
import { type Answering, model } from "./support/provider.ts"
import { type Ailment, ailments, proxy } from "./support/proxy.ts"
import { chosenSeed, type Random, seeded } from "./support/random.ts"
import { scenario, type Seen, sum, temporary } from "./support/scenario.ts"
import { effectsIn, layer, run, sessionID, unended } from "./support/session.ts"

/** More than headers and a part of the answer, less than all of it. */
const mostBytes = 900

/** A session that got no further is asked to go on this often. */
const patience = 4

/** A session whose model is behind a network that fails the first two connections. Counts what the calls did. */
const session = Effect.fnUntraced(function* (ailment: Ailment | undefined, answering: Answering, random: Random) {
  const directory = yield* temporary
  const { port, wrong } = yield* model(answering)
  const between = yield* proxy({ port }, (connection) =>
    ailment === undefined || connection >= 2
      ? undefined
      : { what: ailment, side: "answer", at: random.below(mostBytes) }
  )
  const baseUrl = `http://127.0.0.1:${between.port}`
  const provider = OpenAiChatModel.layer({ model: "m", baseUrl, idleTimeout: "300 millis" }).pipe(
    Layer.provide(FetchHttpClient.layer)
  )
  const hosted = layer(directory, provider)
  let last = "nothing"
  for (let asked = 0; last !== "answered" && asked < patience; asked++) {
    const again = Effect.scoped(run(directory, asked === 0 ? "Hello" : undefined))
    const events = yield* Effect.result(Effect.provide(again, Layer.fresh(hosted)))
    const event = Result.isSuccess(events) ? events.success.at(-1) : undefined
    last = event?._tag === "Ended" ? event.conclusion.reason : "failed"
  }
  assert.strictEqual(last, "answered", "the session comes through in the end")
  const history = yield* Effect.provide(
    Effect.flatMap(History.Service, (history) => history.read(sessionID)),
    Layer.fresh(hosted)
  )
  const effects = effectsIn(directory)
  const seen: Seen = {
    tries: 1,
    hits: between.struck.length > 0 || wrong() > 0 ? 1 : 0,
    lost: unended(history).length + Math.max(0, 2 - effects.length),
    double: effects.length - new Set(effects).size
  }
  return seen
}, Effect.scoped)

const sessions = 8
const atOnce = 4

const many = (ailment: Ailment | undefined, answering: Answering) =>
  Effect.suspend(() => {
    const random = seeded(chosenSeed())
    const tries = Array.from({ length: sessions }, () => session(ailment, answering, random))
    return Effect.map(Effect.all(tries, { concurrency: atOnce }), sum)
  })

describe("a session whose model is behind a bad network", () => {
  for (const ailment of ailments) {
    scenario(
      `comes through, and calls nothing twice: connections are ${ailment}`,
      {
        fault: `loopback proxy: two connections ${ailment} after some bytes`,
        keeps: ["V1", "V4", "V6", "V8", "V13"],
        window: "a connection that broke in the middle of an answer",
        atLeast: { tries: sessions, hits: sessions / 2 }
      },
      many(ailment, "once")
    )
  }

  for (const answering of ["twice", "for another call"] as const) {
    scenario(
      `comes through, and calls nothing twice: it answers ${answering}`,
      {
        fault: `a model that sends its calls ${answering}`,
        keeps: ["V1", "V4", "V13"],
        window: "an answer that is not what was asked for",
        atLeast: { tries: sessions, hits: sessions }
      },
      many(undefined, answering)
    )
  }
})
