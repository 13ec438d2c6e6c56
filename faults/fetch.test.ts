import { assert, describe } from "@effect/vitest"
import { Fetch, LocationFetch } from "@haft/builtins"
import { Permission, type Settlement, Tools } from "@haft/core"
import { ToolRegistry } from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import { Effect, Layer } from "effect"
import * as Http from "node:http"
import * as Zlib from "node:zlib"
import { type Ailment, ailments, type Blow, leftOpen, listening, portOf, proxy, type Side } from "./support/proxy.ts"
import { scenario, type Seen, sum } from "./support/scenario.ts"

/** Loopback, like the address of every machine, but not the one that anything else listens at. */
const address = "127.66.0.1"
const host = "public.test"

/** Different at every place, so that no part can be taken for another, and longer than a piece of it. */
const page = Array.from({ length: 400 }, (_, index) => `line ${index} of the page`).join("\n")

/** Ways for a server to say where its answer ends. */
const forms = {
  "with a length": (response: Http.ServerResponse) => {
    response.setHeader("content-length", page.length).end(page)
  },
  "in pieces": (response: Http.ServerResponse) => {
    for (let at = 0; at < page.length; at += 1000) response.write(page.slice(at, at + 1000))
    response.end()
  },
  packed: (response: Http.ServerResponse) => {
    response.setHeader("content-encoding", "gzip").end(Zlib.gzipSync(page))
  },
  "after a redirect": (response: Http.ServerResponse, isFirst: boolean) => {
    if (isFirst) response.writeHead(302, { location: "/there" }).end()
    else response.end(page)
  }
} as const
type Form = keyof typeof forms

/** The connection over which the page itself comes. */
const connectionOf = (form: Form): number => (form === "after a redirect" ? 1 : 0)

const serve = (form: Form) =>
  Effect.map(
    listening(
      Http.createServer((request, response) => {
        response.setHeader("content-type", "text/plain")
        forms[form](response, request.url === "/")
      }),
      address
    ),
    portOf
  )

const permission: Permission.Interface = { assert: () => Effect.void, stops: () => Effect.succeed(false) }

/** A tool that is allowed everything, for a web in which the fixture is public. */
const tool = (port: number, timeLimit: number) =>
  Fetch.make.pipe(
    Effect.provideService(Permission.Service, permission),
    Effect.provide(
      LocationFetch.layer({
        ports: [port],
        timeLimit,
        resolver: () => Effect.succeed([address]),
        admits: (found) => found === address
      })
    )
  )

/** What ends by itself may need this much time on a busy machine. What does not is given up after less, which is enough to come to its byte. */
const [patientMillis, impatientMillis] = [30_000, 2_000]

const passes = (what: Ailment): boolean => what === "late" || what === "split"

/** One call of `fetch` over a connection that has the ailment, in a process that makes no others. */
const fetching = Effect.fnUntraced(function* (site: number, form: Form, blow?: Blow) {
  const between = yield* proxy({ port: site, address }, (connection) =>
    connection === connectionOf(form) ? blow : undefined
  )
  const limit = blow?.what === "stalled" ? impatientMillis : patientMillis
  const settling = Effect.gen(function* () {
    yield* (yield* Tools.Service).register({ fetch: yield* tool(between.port, limit) })
    const { settle } = yield* (yield* ToolRegistry.Service).materialize()
    return yield* settle(Testing.request("fetch", { url: `http://${host}:${between.port}/` }))
  })
  const began = performance.now()
  const settlement = yield* Effect.provide(Effect.scoped(settling), Layer.fresh(Testing.layer))
  const millis = performance.now() - began
  return { settlement, millis, limit, between, leaked: yield* leftOpen(between) }
}, Effect.scoped)

/** The page as the model has it, or why it has none. */
const outcomeOf = (settlement: Settlement.Settlement): string => {
  if (settlement._tag === "Failed") return settlement.failure.reason._tag
  if (settlement._tag === "Rejected") return settlement.rejection._tag
  const { structured } = settlement.output
  const { isCut, text } = Object(structured)
  return text === page && isCut === false ? "whole" : "not whole"
}

/** What a broken connection may end a fetch with. */
const typed = ["Upstream", "TimedOut", "DataInvalid"]

/** Time to notice, on a busy machine. */
const graceMillis = 5_000

const places = 8

/** The first byte, the last one and some between them. */
const spread = (length: number): ReadonlyArray<number> =>
  Array.from({ length: places }, (_, index) => Math.floor((index * (length - 1)) / (places - 1)))

const struckAt = Effect.fnUntraced(function* (site: number, form: Form, blow: Blow) {
  const { between, leaked, limit, millis, settlement } = yield* fetching(site, form, blow)
  const outcome = outcomeOf(settlement)
  const told = `${form}, ${JSON.stringify(blow)}: ${outcome}`
  if (passes(blow.what)) assert.strictEqual(outcome, "whole", told)
  else assert.include([...typed, "whole"], outcome, told)
  assert.isBelow(millis, limit + graceMillis, told)
  const seen: Seen = { tries: 1, hits: between.struck.length, corrupt: outcome === "not whole" ? 1 : 0, leaked }
  return seen
})

const sides: ReadonlyArray<Side> = ["request", "answer"]
const atOnce = 16

/** All places of one form and one ailment. */
const everywhere = Effect.fnUntraced(function* (form: Form, what: Ailment) {
  const site = yield* serve(form)
  const { between, settlement } = yield* fetching(site, form)
  assert.strictEqual(outcomeOf(settlement), "whole", "a good connection brings the page")
  const passed = between.passed()
  const hops = 1 + connectionOf(form)
  const blows = sides.flatMap((side) => spread(Math.floor(passed[side] / hops)).map((at): Blow => ({ what, side, at })))
  return sum(yield* Effect.forEach(blows, (blow) => struckAt(site, form, blow), { concurrency: atOnce }))
}, Effect.scoped)

describe("a fetch over a bad network", () => {
  for (const what of ailments) {
    scenario(
      `brings the whole page or a failure in time, never a part for the whole, and leaves no connection: ${what}`,
      {
        fault: `loopback proxy: connections ${what} at 16 bytes of four kinds of exchanges`,
        keeps: ["V1", "V2", "V6", "V8", "V11", "V13"],
        window: "a byte of an exchange that came, and was struck",
        atLeast: { tries: 64, hits: 64 }
      },
      Effect.gen(function* () {
        const all = Object.keys(forms) as ReadonlyArray<Form>
        return sum(yield* Effect.forEach(all, (form) => everywhere(form, what)))
      })
    )
  }
})
