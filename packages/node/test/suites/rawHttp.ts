/** A client that writes HTTP by hand, for what `fetch` refuses to send or hides. */
import { Effect, Queue } from "effect"
import type { HttpServer } from "effect/http"
import { NetAddress } from "effect/net"
import * as Net from "node:net"

/** The options of `net.connect` for a server's address. */
const targetOf = ({ address }: HttpServer.HttpServer["Service"]): Net.NetConnectOpts =>
  NetAddress.isUnixPathAddress(address)
    ? { path: address.path }
    : { host: NetAddress.formatIp(address.address), port: address.port }

/** A connection that closes with the Scope. It reads nothing until `data` has a listener. */
export const connect = (server: HttpServer.HttpServer["Service"]) =>
  Effect.acquireRelease(
    Effect.callback<Net.Socket, Error>((resume) => {
      const socket = Net.connect(targetOf(server))
      socket.once("connect", () => resume(Effect.succeed(socket)))
      socket.on("error", (error) => resume(Effect.fail(error)))
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

/** Sends lines as they are and returns all that comes until the server closes. */
export const exchange = (server: HttpServer.HttpServer["Service"], ...lines: ReadonlyArray<string>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const socket = yield* connect(server)
      socket.write([...lines, "Connection: close", "", ""].join("\r\n"))
      return yield* received(socket)
    })
  )

/** Everything the socket receives until its end. */
export const received = (socket: Net.Socket) =>
  Effect.callback<string>((resume) => {
    let text = ""
    socket.on("data", (chunk) => (text += chunk.toString("latin1")))
    socket.once("close", () => resume(Effect.succeed(text)))
  })

/** The status lines that arrive, in order, while the connection stays open. */
export const statuses = Effect.fnUntraced(function* (socket: Net.Socket) {
  const queue = yield* Queue.unbounded<string>()
  socket.on("data", (chunk) => {
    for (const [line] of chunk.toString("latin1").matchAll(/HTTP\/1\.1 \d{3}/gu)) Queue.offerUnsafe(queue, line)
  })
  return queue
})

/** Lets everything that is ready to run do so, many times over. */
export const turns = (count: number) => Effect.repeat(turn, { times: count })

const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
