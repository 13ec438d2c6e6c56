/** Who a token belongs to. */
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { createHash, timingSafeEqual } from "node:crypto"

export type Token = { readonly token: Redacted.Redacted } & (
  | {
      /** Under which name its holder acts. What a request claims has to agree with it. */
      readonly actor: string
      readonly tenantId?: string
    }
  /** Whoever holds it is trusted to say for whom a call is made: a proxy, or the only user of a server. */
  | { readonly actor?: never; readonly tenantId?: never }
)

export interface Identity {
  readonly actor: string
  readonly tenantId?: string
}

/** Whoever sent a token that is known; the caller is whom it proves, if it proves one. */
export interface Admitted {
  readonly caller: Identity | undefined
}

/** Enough that nobody guesses one. */
export const minTokenLength = 16

/** What a header can carry. */
const form = /^[\x21-\x7e]+$/

/** Throws on a token that cannot be one: the host is at fault, and must not serve without knowing. */
export const makeIdentify = (tokens: ReadonlyArray<Token>) => {
  const known = tokens.map((token) => {
    const value = Redacted.value(token.token)
    if (value.length < minTokenLength || !form.test(value)) {
      const whose = token.actor ?? "callers"
      throw new RangeError(`the token of ${whose} must have at least ${minTokenLength} visible ASCII characters`)
    }
    return { digest: digestOf(value), caller: callerOf(token) }
  })
  return (sent: Redacted.Redacted): Option.Option<Admitted> => {
    const digest = digestOf(Redacted.value(sent))
    return Option.fromUndefinedOr(known.find((token) => timingSafeEqual(token.digest, digest)))
  }
}

const callerOf = ({ actor, tenantId }: Token): Identity | undefined => {
  if (actor === undefined) return undefined
  return tenantId === undefined ? { actor } : { actor, tenantId }
}

const digestOf = (token: string): Uint8Array => createHash("sha256").update(token).digest()
