/** A model's server on the loopback address, and a proxy before it that does to connections what networks do. */
import { Effect } from "effect"
import * as Http from "node:http"
import * as Net from "node:net"

/** What becomes of a connection after it has passed some bytes of the answer. */
export type Ailment = "reset" | "half-closed" | "stalled" | "late" | "unreachable"
export const ailments: ReadonlyArray<Ailment> = ["reset", "half-closed", "stalled", "late", "unreachable"]

/** What is wrong with the first answer itself. */
export type Answering = "once" | "twice" | "for another call"

const portOf = (server: Net.Server): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

const listening = <S extends Net.Server>(server: S) =>
  Effect.acquireRelease(
    Effect.callback<S>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
  )

const chunk = (delta: object, finish: string | null = null): object => ({
  id: "answer",
  object: "chat.completion.chunk",
  created: 0,
  model: "m",
  choices: [{ index: 0, delta, finish_reason: finish }]
})

const called = (index: number, id: string): object =>
  chunk({
    tool_calls: [
      { index, id, type: "function", function: { name: "act", arguments: JSON.stringify({ value: index }) } }
    ]
  })

const answerOf = (body: string, answering: Answering): ReadonlyArray<object> => {
  const { messages }: { messages: ReadonlyArray<{ role: string }> } = JSON.parse(body)
  const results = messages.filter(({ role }) => role === "tool").length
  if (results >= (answering === "for another call" ? 4 : 2)) return [chunk({ content: "Done" }), chunk({}, "stop")]
  const calls = [called(0, "one"), called(1, "two")]
  return [
    chunk({ content: "I act" }),
    ...(answering === "twice" ? calls.flatMap((call) => [call, call]) : calls),
    chunk({}, "tool_calls")
  ]
}

/** Asks for two calls, and says that it is done when it has both results. For another call, it asks under the same ids again. */
export const model = (answering: Answering) =>
  Effect.suspend(() => {
    let wrong = 0
    const server = listening(
      Http.createServer((request, response) => {
        const pieces: Array<Buffer> = []
        request.on("data", (piece: Buffer) => pieces.push(piece))
        request.on("end", () => {
          const events = answerOf(Buffer.concat(pieces).toString(), answering)
          if (answering !== "once") wrong++
          response.writeHead(200, { "content-type": "text/event-stream", connection: "close" })
          for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`)
          response.end("data: [DONE]\n\n")
        })
      })
    )
    return Effect.map(server, (server) => ({ port: portOf(server), wrong: () => wrong }))
  })

/** How late what is late comes. */
const lateMillis = 200

/** Passes everything on, except that each connection that `ailment` names something for has it after some bytes. */
export const proxy = (port: number, ailment: (connection: number) => Ailment | undefined, afterBytes: () => number) =>
  Effect.gen(function* () {
    let connections = 0
    const struck: Array<Ailment> = []
    const open = new Set<Net.Socket>()
    const server = yield* listening(
      Net.createServer((client) => {
        const upstream = Net.connect(port, "127.0.0.1")
        const what = ailment(connections++)
        let left = what === "unreachable" ? 0 : afterBytes()
        for (const socket of [client, upstream]) {
          open.add(socket)
          socket.on("error", () => socket.destroy())
          socket.on("close", () => open.delete(socket))
        }
        client.pipe(upstream)
        if (what === "unreachable") {
          struck.push(what)
          client.resetAndDestroy()
        }
        upstream.on("data", (bytes: Buffer) => {
          if (what === undefined || left > bytes.length) {
            left -= bytes.length
            client.write(bytes)
            return
          }
          if (!struck.includes(what) || left >= 0) struck.push(what)
          strike(client, what, bytes.subarray(0, Math.max(0, left)), bytes)
          left = -1
        })
        upstream.on("end", () => {
          if (what === undefined) client.end()
        })
      })
    )
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        for (const socket of open) socket.destroy()
      })
    )
    return { url: `http://127.0.0.1:${portOf(server)}`, struck }
  })

const strike = (client: Net.Socket, what: Ailment, before: Buffer, whole: Buffer): void => {
  if (what === "late") {
    setTimeout(() => client.end(whole), lateMillis)
    return
  }
  if (before.length > 0) client.write(before)
  if (what === "reset") setImmediate(() => client.resetAndDestroy())
  if (what === "half-closed") client.end()
}
