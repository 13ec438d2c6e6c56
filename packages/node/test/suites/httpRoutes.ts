/** The application that the cases for `HttpServer` talk to. */
import { Context, Effect, Layer, Option, Queue, Stream } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"

/** One part of the large body. */
export const chunk = new Uint8Array(1024 * 1024)
export const chunkCount = 200

/** What the routes tell the cases about themselves. */
export class Probe extends Context.Service<
  Probe,
  {
    readonly started: Queue.Queue<string>
    readonly ended: Queue.Queue<string>
    produced: number
  }
>()("test/httpServer/Probe") {
  static readonly layer = Layer.effect(
    Probe,
    Effect.gen(function* () {
      const [started, ended] = [yield* Queue.unbounded<string>(), yield* Queue.unbounded<string>()]
      return { started, ended, produced: 0 }
    })
  )
}

const request = HttpServerRequest.HttpServerRequest
const text = HttpServerResponse.text
const at = (
  method: "GET" | "POST",
  path: `/${string}`,
  handler: Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, Probe | HttpServerRequest.HttpServerRequest>
) => HttpRouter.add(method, path, handler)

const watched = <A, E, R>(name: string, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { ended, started } = yield* Probe
    yield* Queue.offer(started, name)
    return yield* Effect.onInterrupt(effect, () => Queue.offer(ended, name))
  })

/** One route per behaviour of a server. */
export const Routes = Layer.mergeAll(
  at("GET", "/hello", Effect.succeed(text("world"))),
  at("GET", "/letters", Effect.succeed(HttpServerResponse.stream(Stream.make("a", "b", "c").pipe(Stream.encodeText)))),
  at(
    "GET",
    "/web",
    Effect.sync(() => HttpServerResponse.raw(new Response("from the web", { status: 201 })))
  ),
  at("GET", "/empty", Effect.succeed(HttpServerResponse.empty())),
  at(
    "GET",
    "/cookies",
    Effect.succeed(
      HttpServerResponse.empty().pipe(
        HttpServerResponse.setCookiesUnsafe([
          ["a", "1"],
          ["b", "2"]
        ])
      )
    )
  ),
  at("GET", "/throws", Effect.die(new Error("the password is hunter2"))),
  at("GET", "/bad-header", Effect.succeed(text("x", { headers: { "x-bad": "line\nbreak" } }))),
  at(
    "GET",
    "/peer",
    Effect.map(request, ({ remoteAddress }) => text(Option.getOrElse(remoteAddress, () => "nobody")))
  ),
  at("GET", "/hang", watched("hang", Effect.never)),
  at(
    "GET",
    "/endless",
    Effect.map(Probe, ({ ended }) =>
      HttpServerResponse.stream(
        Stream.concat(Stream.succeed(new Uint8Array(1)), Stream.never).pipe(
          Stream.ensuring(Queue.offer(ended, "endless"))
        )
      )
    )
  ),
  at(
    "GET",
    "/breaks",
    Effect.succeed(HttpServerResponse.stream(Stream.concat(Stream.succeed(new Uint8Array(5)), Stream.fail("broken"))))
  ),
  at(
    "GET",
    "/large",
    Effect.map(Probe, (probe) =>
      HttpServerResponse.stream(
        Stream.take(Stream.fromEffectRepeat(Effect.sync(() => (probe.produced++, chunk))), chunkCount)
      )
    )
  ),
  at(
    "POST",
    "/echo",
    Effect.flatMap(request, ({ json }) => Effect.map(json, HttpServerResponse.jsonUnsafe))
  ),
  at("POST", "/ignores", Effect.succeed(text("enough"))),
  at(
    "POST",
    "/first",
    Effect.gen(function* () {
      const { started } = yield* Probe
      const { stream } = yield* request
      const first = yield* Stream.runHead(stream)
      yield* Queue.offer(started, `${Option.getOrThrow(first).byteLength}`)
      return text("enough")
    })
  ),
  at(
    "POST",
    "/size",
    Effect.gen(function* () {
      const { started } = yield* Probe
      const { stream } = yield* request
      const size = yield* Stream.runFoldEffect(
        stream,
        () => 0,
        (sum, { byteLength }) => Effect.as(Queue.offer(started, `${byteLength}`), sum + byteLength)
      )
      return text(`${size}`)
    })
  )
)
