/** A server on the loopback address that answers like a provider, byte by byte as a test wants it. */
import { Effect } from "effect"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"

/** One answer. What comes after the last piece is the end of it, unless a test wants something worse. */
export interface Scripted {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly pieces: ReadonlyArray<string | Uint8Array>
  readonly ending?: "end" | "destroy" | "hang"
}

/** What was asked. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: Http.IncomingHttpHeaders
  readonly body: unknown
}

export interface Provider {
  readonly url: string
  readonly asked: ReadonlyArray<Asked>
  /** Resolves when a client has left before the answer was complete. */
  readonly left: Effect.Effect<void>
}

/** Gives the answers one after the other, and the last one again and again. */
export const serve = (answers: ReadonlyArray<Scripted>) =>
  Effect.acquireRelease(
    Effect.callback<Provider & { readonly server: Http.Server }>((resume) => {
      const asked: Array<Asked> = []
      const departures = Promise.withResolvers<void>()
      const server = Http.createServer((request, response) => {
        response.on("close", () => {
          if (!response.writableFinished) departures.resolve()
        })
        void readAll(request).then((text) => {
          const answer = answers[Math.min(asked.length, answers.length - 1)] ?? { pieces: [] }
          const { headers, method = "", url = "" } = request
          asked.push({ method, path: url, headers, body: JSON.parse(text) })
          return send(response, answer)
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        const left = Effect.promise(() => departures.promise)
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, asked, left, server }))
      })
    }),
    ({ server }) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )

const readAll = async (request: Http.IncomingMessage): Promise<string> => {
  const pieces: Array<Buffer> = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

/** Each piece is a packet of its own. */
const send = async (response: Http.ServerResponse, { ending = "end", headers, pieces, status = 200 }: Scripted) => {
  response.writeHead(status, { "content-type": "text/event-stream", ...headers })
  response.flushHeaders()
  await pieces.reduce((sent, piece) => sent.then(() => write(response, piece)), Promise.resolve())
  if (ending === "end") response.end()
  if (ending === "destroy") response.destroy()
}

const write = (response: Http.ServerResponse, piece: string | Uint8Array): Promise<void> =>
  new Promise((resolve) => response.write(piece, () => setImmediate(resolve)))

/** A stream of events, each with its name if the data has a type. */
export const sse = (events: ReadonlyArray<object | string>): string =>
  events
    .map((event) => {
      if (typeof event === "string") return `data: ${event}\n\n`
      const name = "type" in event ? `event: ${String(event.type)}\n` : ""
      return `${name}data: ${JSON.stringify(event)}\n\n`
    })
    .join("")

/** The same bytes in pieces of a few, so that nothing arrives whole: no event, no JSON, no character. */
export const crumbled = (text: string, size = 7): ReadonlyArray<Uint8Array> => {
  const bytes = new TextEncoder().encode(text)
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.slice(index * size, (index + 1) * size)
  )
}
