/** A proxy on the loopback address that does to connections what networks do, at a chosen byte of either direction. */
import { Effect, type Scope } from "effect"
import * as Net from "node:net"
import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises"

/** What becomes of a connection at a byte. */
export const ailments = ["reset", "half-closed", "stalled", "late", "split", "unreachable"] as const
export type Ailment = (typeof ailments)[number]

/** What the client sends, or what it is answered. */
export type Side = "request" | "answer"

/** Everything before the byte `at` passes; what comes from there on has the ailment. Who is unreachable gets nothing. */
export interface Blow {
  readonly what: Ailment
  readonly side: Side
  readonly at: number
}

export interface Proxy {
  readonly port: number
  /** Blows that were dealt: those whose byte came. */
  readonly struck: ReadonlyArray<Blow>
  /** Bytes that passed so far, of all connections. */
  readonly passed: () => Readonly<Record<Side, number>>
  /** Sockets that are open, of both sides. */
  readonly open: () => number
}

/** How late what is late comes. */
const lateMillis = 200

/** What a busy machine needs to close what is over. */
const closingMillis = 5_000

export const portOf = (server: Net.Server): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

export const listening = <S extends Net.Server>(
  server: S,
  address = "127.0.0.1"
): Effect.Effect<S, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<S>((resume) => {
      server.listen(0, address, () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
  )

/** Where connections are taken, and where they lead. */
export interface Route {
  readonly port: number
  readonly address?: string
}

/** Passes everything on as it comes, but for the connections that `blowOf` names something for. */
export const proxy = Effect.fnUntraced(function* (
  { address = "127.0.0.1", port }: Route,
  blowOf: (connection: number) => Blow | undefined
) {
  const open = new Set<Net.Socket>()
  const struck: Array<Blow> = []
  const passed = { request: 0, answer: 0 }
  let connections = 0
  const server = yield* listening(
    Net.createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
      const blow = blowOf(connections++)
      const upstream = Net.connect({ port, host: address, allowHalfOpen: true, noDelay: true })
      for (const [socket, other] of [
        [client, upstream],
        [upstream, client]
      ] as const) {
        open.add(socket)
        socket.on("error", () => other.destroy())
        socket.on("close", () => open.delete(socket))
      }
      client.on("close", () => upstream.destroy())
      if (blow?.what === "unreachable") {
        struck.push(blow)
        client.resetAndDestroy()
        return
      }
      const ofSide = (side: Side): Pump => ({
        blow: blow?.side === side ? blow : undefined,
        pass: (count) => void (passed[side] += count),
        strike: (dealt) => void struck.push(dealt)
      })
      pump(client, upstream, ofSide("request"))
      pump(upstream, client, ofSide("answer"))
    }),
    address
  )
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const socket of open) socket.destroy()
    })
  )
  const made: Proxy = { port: portOf(server), struck, passed: () => ({ ...passed }), open: () => open.size }
  return made
})

interface Pump {
  readonly blow: Blow | undefined
  readonly pass: (bytes: number) => void
  readonly strike: (blow: Blow) => void
}

/** A socket that breaks in the middle breaks the other one too; nobody waits for the bytes. */
const pump = (from: Net.Socket, to: Net.Socket, options: Pump): void => {
  // What nobody is given any more is read all the same, up to its end.
  pumping(from, to, options).then(
    () => from.resume(),
    () => to.destroy()
  )
}

const pumping = async (from: Net.Socket, to: Net.Socket, { blow, pass, strike }: Pump): Promise<void> => {
  let left = blow?.at ?? Number.POSITIVE_INFINITY
  for await (const chunk of from.iterator({ destroyOnReturn: false })) {
    const bytes: Buffer = chunk
    const before = bytes.subarray(0, Math.max(0, left))
    const rest = bytes.subarray(before.length)
    pass(bytes.length)
    if (before.length > 0) await send(to, before)
    if (blow === undefined || rest.length === 0) {
      left -= bytes.length
      continue
    }
    if (left >= 0) strike(blow)
    const isOver = await dealt[blow.what]({ from, to, rest, isFirst: left >= 0 })
    left = -1
    if (isOver) return
  }
  to.end()
}

interface Struck {
  readonly from: Net.Socket
  readonly to: Net.Socket
  readonly rest: Buffer
  readonly isFirst: boolean
}

/** Does what the ailment says to what comes, and tells whether anything passes afterwards. */
const dealt: Readonly<Record<Ailment, (struck: Struck) => Promise<boolean>>> = {
  reset: async ({ from, to }) => {
    await turn()
    to.resetAndDestroy()
    from.resetAndDestroy()
    return true
  },
  "half-closed": async ({ to }) => {
    to.end()
    return true
  },
  stalled: async ({ from, to }) => {
    from.once("end", () => to.destroy())
    return true
  },
  late: async ({ isFirst, rest, to }) => {
    if (isFirst) await sleep(lateMillis)
    await send(to, rest)
    return false
  },
  split: async ({ rest, to }) => {
    for (let at = 0; at < rest.length; at++) {
      // oxlint-disable-next-line eslint/no-await-in-loop -- each byte on its own is what splitting means
      await send(to, rest.subarray(at, at + 1)).then(() => turn())
    }
    return false
  },
  unreachable: async () => true
}

/** Sockets that are still open when there was time enough to close them all. */
export const leftOpen = ({ open }: Proxy): Effect.Effect<number> =>
  Effect.sync(open).pipe(
    Effect.delay(1),
    Effect.repeat({ until: (count) => count === 0 }),
    Effect.timeoutOption(closingMillis),
    Effect.map(() => open())
  )

const send = (to: Net.Socket, bytes: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    to.write(bytes, (error) => (error === null || error === undefined ? resolve() : reject(error)))
  })
