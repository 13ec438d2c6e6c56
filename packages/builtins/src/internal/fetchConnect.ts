/** Connections that lead to addresses that were checked, and to no others. */
import { isIP, type LookupFunction, type Socket, connect as open } from "node:net"
import type * as UndiciModule from "undici"
import type { Agent, buildConnector } from "undici"
import { canonical } from "./addresses.ts"
import { maxHeaderBytes } from "./fetchLimits.ts"

/** One for each hop: nothing is shared between calls, neither connections nor sessions nor a proxy. */
export interface PinnedAgent {
  readonly agent: Agent
  /** Ends every connection at once, also those that are being made. */
  readonly close: () => Promise<void>
}

/** The connection leads to an address that was not checked. Only a bug here or in Node could bring that about. */
export class UnpinnedError extends Error {
  readonly code = "HAFT_UNPINNED"
}

/** The other side sends on and on, and what it sends is no content: nothing else would come to an end by being counted. */
export class FloodedError extends Error {
  readonly code = "HAFT_FLOODED"
}

/** What a connection trusts, and how much it reads. */
export interface ConnectionOptions {
  /** Trusted instead of the system's. */
  readonly certificates: ReadonlyArray<string> | undefined
  /** Of everything that comes, also what is no content. */
  readonly maxBytes: number
}

/** Loaded by the first fetch and not with the tools: many runs never make one. */
export type Undici = Pick<typeof UndiciModule, "Agent" | "buildConnector">

export const makeAgent = (
  { Agent, buildConnector }: Undici,
  addresses: ReadonlyArray<string>,
  { certificates, maxBytes }: ConnectionOptions
): PinnedAgent => {
  const sockets = new Set<Socket>()
  // Said here, because a variable of the environment would decide otherwise.
  const trust = { rejectUnauthorized: true, ...(certificates === undefined ? {} : { ca: [...certificates] }) }
  const secure = buildConnector({ allowH2: false, maxCachedSessions: 0, timeout: 0, ...trust })
  const connect = metered(maxBytes, connector(addresses, sockets, secure))
  // The only limit of time is that of the whole fetch: others start anew with every byte.
  const agent = new Agent({ connect, connections: 1, allowH2: false, maxHeaderSize: maxHeaderBytes, ...untimed })
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    await agent.destroy()
  }
  return { agent, close }
}

const untimed = { headersTimeout: 0, bodyTimeout: 0 }

const connector =
  (
    addresses: ReadonlyArray<string>,
    sockets: Set<Socket>,
    secure: buildConnector.connector
  ): buildConnector.connector =>
  (options, callback) => {
    const isSecure = options.protocol === "https:"
    const port = options.port === "" ? (isSecure ? 443 : 80) : Number(options.port)
    const socket = open({ host: hostOf(options, addresses), port, lookup: pinned(addresses) })
    sockets.add(socket)
    const fail = (error: Error) => callback(error, null)
    socket.once("error", fail).once("connect", () => {
      if (!isAmong(addresses, socket)) return void socket.destroy(new UnpinnedError())
      socket.off("error", fail)
      if (isSecure) return secure({ ...options, httpSocket: socket }, callback)
      return callback(null, socket)
    })
  }

/** Looks at the count whenever something is about to be read. */
const metered =
  (maxBytes: number, connect: buildConnector.connector): buildConnector.connector =>
  (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null)
      socket.on("readable", () => {
        if (socket.bytesRead > maxBytes) socket.destroy(new FloodedError())
      })
      return callback(null, socket)
    })

/** An address is connected to as it was checked; only a name is looked up, in what was found before. */
const hostOf = ({ hostname }: buildConnector.Options, [first = ""]: ReadonlyArray<string>): string =>
  isIP(hostname.replace(/^\[(.*)\]$/, "$1")) === 0 ? hostname : first

/** Node asks for one or for all. */
const pinned =
  (addresses: ReadonlyArray<string>): LookupFunction =>
  (_host, options, callback) => {
    const all = addresses.map((address) => ({ address, family: isIP(address) }))
    const [first = { address: "", family: 0 }] = all
    if (options.all === true) callback(null, all)
    else callback(null, first.address, first.family)
  }

const isAmong = (addresses: ReadonlyArray<string>, { remoteAddress = "" }: Socket): boolean =>
  addresses.includes(canonical(remoteAddress) ?? "")
