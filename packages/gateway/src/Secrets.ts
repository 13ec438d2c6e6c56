/**
 * Where tools get secrets from, by name and fresh for each use, and what makes sure that the values go no further: every
 * value that was handed out is taken out of outcomes, records, settlements, logs and spans. Tools capture it when they are
 * constructed.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Scrubber from "./Scrubber.ts"

/** There is no such secret, or none that can be kept secret. */
export class UnresolvedError extends Schema.TaggedError<UnresolvedError>()("Secrets.UnresolvedError", {
  secretRef: Schema.String,
  reason: Schema.Literals(["missing", "empty", "too_short", "malformed", "unavailable"])
}) {}

/** Looks a name up, in a vault or an environment. Values are not kept: a secret that is rotated is used from then on. */
export type Resolver = (secretRef: string) => Effect.Effect<Option.Option<Redacted.Redacted<string>>, UnresolvedError>

export interface Interface {
  readonly resolve: (secretRef: string) => Effect.Effect<Redacted.Redacted<string>, UnresolvedError>
  /** For the values that were handed out until now, also those that have been rotated since. */
  readonly scrubber: () => Scrubber.Scrubber
}

/** Without a resolver there are no secrets. */
export const Service = Context.Reference<Interface>("@haft/gateway/Secrets", {
  defaultValue: () => ({
    resolve: (secretRef) => Effect.fail(new UnresolvedError({ secretRef, reason: "missing" })),
    scrubber: () => Scrubber.none
  })
})

/** In a header a line break would end it, and whoever complains about that would quote it. */
// oxlint-disable-next-line no-control-regex -- these are the characters that are meant
const control = /[\u0000-\u001f\u007f]/u

/** More values than a process that rotates its secrets every minute sees in a week. The oldest is forgotten first. */
export const maxValues = 10_000

/** Hands secrets out and remembers what they were. */
export const make = (resolver: Resolver): Interface => {
  const values = new Set<string>()
  let current: Scrubber.Scrubber | undefined = Scrubber.none
  const remember = (value: string) => {
    if (values.has(value)) return
    values.add(value)
    for (const oldest of values) {
      if (values.size <= maxValues) break
      values.delete(oldest)
    }
    current = undefined
  }
  return {
    resolve: Effect.fnUntraced(function* (secretRef) {
      const found = yield* resolver(secretRef)
      if (Option.isNone(found)) return yield* new UnresolvedError({ secretRef, reason: "missing" })
      const value = Redacted.value(found.value).trim()
      if (value === "") return yield* new UnresolvedError({ secretRef, reason: "empty" })
      if (value.length < Scrubber.minLength) return yield* new UnresolvedError({ secretRef, reason: "too_short" })
      if (control.test(value)) return yield* new UnresolvedError({ secretRef, reason: "malformed" })
      remember(value)
      return Redacted.make(value)
    }),
    scrubber: () => (current ??= Scrubber.make(values))
  }
}

/** Provides it to tools and to the gateway alike. */
export const layer = (resolver: Resolver): Layer.Layer<never> => Layer.sync(Service, () => make(resolver))
