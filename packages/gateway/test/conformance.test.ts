import { assert, describe, it } from "@effect/vitest"
import { Tools } from "@haft/core"
import { Gateway } from "@haft/gateway"
import * as Http from "@haft/gateway/http"
import * as HttpConformance from "@haft/gateway/httpConformance"
import * as NodeHttpServer from "@haft/node/NodeHttpServer"
import * as Registry from "@haft/registry/testing"
import * as Conformance from "@haft/wire/conformance"
import { Effect, Layer, Logger, Redacted, Result } from "effect"
import { FetchHttpClient, HttpRouter, HttpServer } from "effect/http"
import { once } from "node:events"
import * as Fs from "node:fs"
import { createServer } from "node:http"
import { layerCatalog } from "./support/governing.ts"

const token = Redacted.make("0123456789abcdef0123456789abcdef")

const server = HttpRouter.serve(Http.layer({ tokens: [{ token }], maxPayloadBytes: 65_536 }), {
  disableLogger: true,
  disableListenLog: true
}).pipe(
  Layer.provideMerge(Gateway.layerMemory()),
  Layer.provideMerge(layerCatalog),
  Layer.provideMerge(Registry.layer),
  Layer.provideMerge(NodeHttpServer.layer({ port: 0 })),
  Layer.provide([HttpServer.layerServices, Logger.layer([])])
)

const vectorsOf = (contract: "orloj" | "uicp") =>
  Result.getOrThrow(
    Conformance.parse(Fs.readFileSync(new URL(`../../wire/vectors/${contract}.json`, import.meta.url), "utf8"))
  )

/** What only a gate, a store or another part inside a server can bring about. */
const insiders = [
  "Prepared",
  "Pending.Approval",
  "Pending.External",
  "Rejected.Stale",
  "Denied.Permission",
  "Denied.ApprovalExpired",
  "Denied.Budget",
  "Interrupted",
  "Operational.SecretResolution",
  "Operational.IsolationUnavailable",
  "Operational.ConfigInvalid",
  "Operational.Protocol",
  "Operational.RetentionFailed"
]

describe("the vectors, over HTTP", () => {
  it.live.each(["orloj", "uicp"] as const)("find nothing wrong with our server of %s", (contract) =>
    Effect.gen(function* () {
      yield* Effect.flatMap(Tools.Service, (tools) => tools.register(HttpConformance.tools))
      const { address } = yield* HttpServer.HttpServer
      const url = `${HttpServer.formatAddress(address)}${Http.paths[contract]}`
      const vectors = vectorsOf(contract)
      const report = yield* HttpConformance.run(vectors, { url, token, maxPayloadBytes: 65_536 })
      assert.deepStrictEqual(report.failed, [])
      const names = new Set(
        vectors.vectors.filter(({ operation }) => operation === "encode").map((vector) => vector.name)
      )
      const unprovoked = report.skipped.filter((name) => names.has(name) && !report.passed.includes(name))
      const noVersion = contract === "uicp" ? ["Rejected.ContractVersion"] : []
      assert.sameMembers(unprovoked, [...insiders, ...noVersion])
      assert.isAtLeast(report.passed.length, names.size - unprovoked.length + 5)
      const foreign = yield* HttpConformance.run(vectors, { url, token, maxPayloadBytes: 65_536, readsSlots: false })
      assert.deepStrictEqual(foreign.failed, [])
    }).pipe(Effect.scoped, Effect.provide([server, FetchHttpClient.layer]))
  )

  it.live("say what is wrong with a server that answers anything, and with one that is not there", () =>
    Effect.gen(function* () {
      const liar = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const server = createServer((_, response) => response.end(`{"status":"ok"}`)).listen(0, "127.0.0.1")
          await once(server, "listening")
          return server
        }),
        (server) => Effect.sync(() => server.close())
      )
      const address = liar.address()
      const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`
      const vectors = vectorsOf("orloj")
      const lied = yield* HttpConformance.run(vectors, { url, token })
      const wrong = new Set(lied.failed.map(({ vector }) => vector))
      for (const name of ["Failure.NotFound", "Success.Read", "orloj: a forged token", "the version v2"]) {
        assert.isTrue(wrong.has(name), name)
      }
      const absent = yield* HttpConformance.run(vectors, { url: "http://127.0.0.1:1/" })
      assert.deepStrictEqual(absent.passed, [])
      assert.isAbove(absent.failed.length, 30)
    }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer))
  )
})
