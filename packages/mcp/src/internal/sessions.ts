/**
 * Which Haft session a request belongs to. Outputs are readable inside a session alone, so this is what keeps clients
 * apart: a connection over standard streams is one session, so is an MCP session over HTTP, and where the protocol has no
 * sessions it is whoever was authenticated.
 */
import * as Session from "@haft/core/Session"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { createHmac } from "node:crypto"
import { Principal } from "../Principal.ts"

const sessionHeader = "mcp-session-id"

/** Of one server. Ids tell nothing about what they are made from, and are other ones after a restart. */
export class Sessions {
  readonly #secret = SecureRandom.uuidV4Unsafe()
  /** When each session that called something was last heard of. */
  readonly #heard = new Map<Session.ID, bigint>()

  readonly #requested: Effect.Effect<Session.ID> = Effect.contextWith((context: Context.Context<never>) => {
    const request = Context.getOption(context, HttpServerRequest.HttpServerRequest)
    return Effect.succeed(this.#idOf(Option.isSome(request) ? nameOf(request.value, context) : "stdio"))
  })

  /** Of the call that is being handled. */
  readonly current: Effect.Effect<Session.ID> = Effect.tap(this.#requested, (id) => this.#hear(id))

  /** Any request tells that its client is still there, but begins nothing: its session may be made up. */
  readonly alive: Effect.Effect<void> = Effect.flatMap(this.#requested, (id) =>
    this.#heard.has(id) ? this.#hear(id) : Effect.void
  )

  /** Of the request that ends it. */
  readonly ending: Effect.Effect<Session.ID> = Effect.tap(this.#requested, (id) =>
    Effect.sync(() => this.#heard.delete(id))
  )

  /** Forgets the sessions that were not heard of for so long, and says which. */
  readonly abandoned = (idleMs: number): Effect.Effect<ReadonlyArray<Session.ID>> =>
    Effect.map(Clock.monotonicTimeNanos, (now) => {
      const silentMs = (heard: bigint) => Number((now - heard) / 1_000_000n)
      const gone = [...this.#heard].filter(([, heard]) => silentMs(heard) >= idleMs).map(([id]) => id)
      for (const id of gone) this.#heard.delete(id)
      return gone
    })

  #hear(id: Session.ID): Effect.Effect<void> {
    return Effect.map(Clock.monotonicTimeNanos, (now) => void this.#heard.set(id, now))
  }

  #idOf(name: string): Session.ID {
    return Session.ID.make(`mcp_${createHmac("sha256", this.#secret).update(name).digest("base64url")}`)
  }
}

const nameOf = ({ headers }: HttpServerRequest.HttpServerRequest, context: Context.Context<never>): string => {
  const principal = Context.get(context, Principal)
  return JSON.stringify([principal, headers[sessionHeader] ?? null])
}
