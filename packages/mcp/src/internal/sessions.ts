/**
 * Which Haft session a request belongs to. Outputs are readable inside a session alone, so this is what keeps clients
 * apart: a connection over standard streams is one session, so is an MCP session over HTTP, and where the protocol has no
 * sessions it is whoever was authenticated.
 */
import * as Session from "@haft/core/Session"
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
  readonly #seen = new Set<Session.ID>()

  /** Of the request that is being handled. */
  readonly current: Effect.Effect<Session.ID> = Effect.contextWith((context: Context.Context<never>) => {
    const request = Context.getOption(context, HttpServerRequest.HttpServerRequest)
    return Effect.succeed(this.#remember(Option.isSome(request) ? nameOf(request.value, context) : "stdio"))
  })

  /** Every session that made a request. */
  get seen(): ReadonlyArray<Session.ID> {
    return [...this.#seen]
  }

  #remember(name: string): Session.ID {
    const id = Session.ID.make(`mcp_${createHmac("sha256", this.#secret).update(name).digest("base64url")}`)
    this.#seen.add(id)
    return id
  }
}

const nameOf = ({ headers }: HttpServerRequest.HttpServerRequest, context: Context.Context<never>): string => {
  const principal = Context.get(context, Principal)
  return JSON.stringify([principal, headers[sessionHeader] ?? null])
}
