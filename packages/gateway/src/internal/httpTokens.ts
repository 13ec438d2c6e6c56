/** Who a token belongs to. */
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { createHash, timingSafeEqual } from "node:crypto"

export interface Token {
  readonly token: Redacted.Redacted
  /** Under which name its holder acts. What a request claims has to agree with it. */
  readonly actor: string
  readonly tenantId?: string
}

export interface Identity {
  readonly actor: string
  readonly tenantId?: string
}

/** Enough that nobody guesses one, with what a header can carry. */
const form = /^[\x21-\x7e]{16,}$/

/** Throws on a token that cannot be one: the host is at fault, and must not serve without knowing. */
export const makeIdentify = (tokens: ReadonlyArray<Token>) => {
  const known = tokens.map(({ token, ...identity }) => {
    if (!form.test(Redacted.value(token))) {
      throw new RangeError(`the token of ${identity.actor} must have at least 16 visible ASCII characters`)
    }
    return { digest: digestOf(Redacted.value(token)), identity }
  })
  return (sent: Redacted.Redacted): Option.Option<Identity> => {
    const digest = digestOf(Redacted.value(sent))
    const found = known.find((token) => timingSafeEqual(token.digest, digest))
    return Option.fromUndefinedOr(found?.identity)
  }
}

const digestOf = (token: string): Uint8Array => createHash("sha256").update(token).digest()
