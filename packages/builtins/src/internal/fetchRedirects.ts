/** Follows redirects by hand: each target is looked at from the beginning, as if the call had named it. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { canonical } from "./addresses.ts"
import { type FetchError, ForbiddenError, RedirectError } from "./fetchErrors.ts"
import { type Guard, type Headers, type Response, send } from "./fetchHop.ts"
import { type Address, addressOf } from "./fetchUrl.ts"

/** Where the redirects ended. */
export type Arrival =
  | { readonly _tag: "Answered"; readonly address: Address; readonly response: Response }
  | { readonly _tag: "Elsewhere"; readonly address: Address; readonly status: number; readonly to: Address }

export interface Journey {
  readonly start: Address
  readonly headers: Headers
  readonly redirects: "same-origin" | "all"
}

/** The last connection lasts until the Scope closes, the others no longer than their redirect. */
export const follow = Effect.fnUntraced(function* (
  guard: Guard,
  { redirects, start, ...journey }: Journey
): Effect.fn.Return<Arrival, FetchError, Scope.Scope> {
  const scope = yield* Effect.scope
  let [address, headers] = [start, journey.headers]
  for (let hops = 0; ; hops++) {
    const hop = yield* Scope.fork(scope)
    const response = yield* Scope.provide(send(guard, address, headers), hop)
    const location = locationOf(response)
    if (location === undefined) return { _tag: "Answered", address, response }
    yield* Scope.close(hop, Exit.void)
    const to = yield* targetOf(guard, address, location)
    if (redirects === "same-origin" && !isCovered(address, to)) {
      return { _tag: "Elsewhere", address, status: response.status, to }
    }
    if (hops >= guard.limits.maxRedirects) return yield* new RedirectError({ reason: "TooMany" })
    if (to.origin !== address.origin) headers = harmless(headers)
    address = to
  }
})

const statuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

const locationOf = ({ header, status }: Response): string | undefined =>
  statuses.has(status) ? header("location") : undefined

const targetOf = (guard: Guard, from: Address, location: string) =>
  Effect.gen(function* () {
    const to = yield* Effect.fromResult(
      Result.mapError(addressOf(location, guard.limits, from), (error) =>
        error._tag === "LocationFetch.InvalidUrlError" ? new RedirectError({ reason: "Target" }) : error
      )
    )
    if (from.isSecure && !to.isSecure) return yield* new RedirectError({ reason: "Downgrade" })
    return yield* admittedLiteral(guard, to)
  })

/** A literal address can be judged without anybody being asked. */
export const admittedLiteral = (guard: Guard, address: Address): Effect.Effect<Address, ForbiddenError> =>
  address.isLiteral && !guard.admits(canonical(address.host) ?? address.host)
    ? Effect.fail(new ForbiddenError({ host: address.host, reason: "Address" }))
    : Effect.succeed(address)

/** The same origin, or the same host by the safer of its usual ways. */
export const isCovered = (from: Address, to: Address): boolean =>
  to.origin === from.origin || (to.host === from.host && to.isSecure && from.port === 80 && to.port === 443)

/** What says nothing about who asks. Everything else stays with the origin that it was meant for. */
const harmlessNames: ReadonlySet<string> = new Set(["accept", "accept-encoding", "accept-language", "user-agent"])

const harmless = (headers: Headers): Headers => new Map([...headers].filter(([name]) => harmlessNames.has(name)))
