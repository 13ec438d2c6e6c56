/**
 * Programs that must compile beside programs that must not, about plugins. The compiler is the test: an
 * `@ts-expect-error` that expects nothing is itself an error.
 */
import { Tools } from "@haft/core"
import { Capability, Fetch, Plugin, PromisePlugin, Secrets } from "@haft/plugin-api"
import { Context, Effect, type Redacted } from "effect"

class Database extends Context.Service<Database, { readonly name: string }>()("types/Database") {}

class Clipboard extends Capability.Service<Clipboard, { readonly text: () => Effect.Effect<string> }>()("clipboard") {}

// Tools and a Scope are always handed, others after they were declared.
export const declared = Plugin.make({
  id: "declared",
  capabilities: [Fetch.Service, Clipboard],
  install: Effect.gen(function* () {
    yield* (yield* Tools.Service).register({})
    yield* Effect.addFinalizer(() => Effect.void)
    const text: string = yield* (yield* Clipboard).text()
    const fetch: typeof globalThis.fetch = yield* Fetch.Service
    return { fetch, text }
  })
})

export const undeclared = Plugin.make({
  id: "undeclared",
  capabilities: [Fetch.Service],
  // @ts-expect-error secrets were not declared
  install: Effect.asVoid(Secrets.Service)
})

export const foreign = Plugin.make({
  id: "foreign",
  // @ts-expect-error a service of the host's is no capability
  capabilities: [Database],
  install: Effect.void
})

export const needy = Plugin.make({
  id: "needy",
  // @ts-expect-error a service of the host's is not handed to plugins
  install: Effect.asVoid(Database)
})

// A plugin cannot be looked into or run.
// @ts-expect-error install is not there
export const inside = declared.install

// @ts-expect-error what is granted must be what the capability promises
export const wrongGrant = Capability.grant(Clipboard, { text: () => "not an effect" })

// @ts-expect-error a service of the host's cannot be granted
export const notGrantable = Capability.grant(Database, { name: "" })

// The promise flavour has the same capabilities by name, with promises for effects.
export const promising = PromisePlugin.make({
  id: "promising",
  capabilities: [Clipboard, Secrets.Service, Fetch.Service],
  install: async ({ capabilities: { clipboard, fetch, secrets }, register, signal }) => {
    const text: Promise<string> = clipboard.text()
    const secret: Promise<Redacted.Redacted> = secrets.get("token")
    const response: Response = await fetch("https://example.org", { signal })
    await register({
      untyped: { description: "", input: { type: "object" }, execute: (input) => input["anything"] ?? null }
    })
    await Promise.all([text, secret, response.text()])
  }
})

export const undeclaredPromise = PromisePlugin.make({
  id: "undeclared",
  capabilities: [Clipboard],
  // @ts-expect-error secrets were not declared
  install: ({ capabilities: { secrets } }) => void secrets
})
