/**
 * Asks the person behind the client that made a call. For hosts that decide about permissions: what a tool wants to do is
 * shown where the call came from, if that client can ask.
 */
import type { Request } from "@haft/core/Materialization"
import type * as Tool from "@haft/core/Tool"
import * as McpSchema from "effect/ai/McpSchema"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

/** One thing to fill in: one of several options, words, or yes or no. */
export type Field =
  | {
      readonly _tag: "Choice"
      readonly title: string
      readonly options: ReadonlyArray<string>
      readonly isRequired?: boolean
    }
  | { readonly _tag: "Text"; readonly title: string; readonly isRequired?: boolean }
  | { readonly _tag: "Flag"; readonly title: string }

/** What only a person can say. The fields have names. */
export interface Form {
  readonly message: string
  readonly fields: Readonly<Record<string, Field>>
}

/** What became of a form. `Declined` is also what does not fit it; `Unreachable`: the client cannot ask, or the call is over. */
export type Reply =
  | { readonly _tag: "Filled"; readonly values: Readonly<Record<string, string | boolean>> }
  | { readonly _tag: "Declined" }
  | { readonly _tag: "Unreachable" }

/** Which call is meant. */
export type CallRef = Pick<Tool.Context, "sessionID" | "assistantMessageID">

export interface Interface {
  /** Waits for the person. Interrupting it withdraws the form. */
  readonly ask: (call: CallRef, form: Form) => Effect.Effect<Reply>
  /** Runs a call as one that can be asked about. */
  readonly during: <A, E, R>(request: Request, call: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export class Service extends Context.Service<Service, Interface>()("@haft/mcp/McpClients") {}

type Client = McpSchema.McpServerClient["Service"]

/** For one server. Needs nothing: clients enter with their calls. */
export const layer: Layer.Layer<Service> = Layer.sync(Service, () => {
  const clients = new Map<string, Client>()
  return {
    ask: (call, form) => {
      const client = clients.get(keyOf(call))
      return client === undefined ? Effect.succeed(unreachable) : elicit(client, form)
    },
    during: (request, call) =>
      Effect.contextWith((context: Context.Context<never>) => {
        const client = Context.getOption(context, McpSchema.McpServerClient)
        if (Option.isNone(client) || client.value.clientCapabilities.elicitation === undefined) return call
        const key = keyOf(request)
        return Effect.ensuring(
          Effect.andThen(
            Effect.sync(() => clients.set(key, client.value)),
            call
          ),
          Effect.sync(() => clients.delete(key))
        )
      })
  }
})

const keyOf = ({ assistantMessageID, sessionID }: CallRef): string => `${sessionID} ${assistantMessageID}`

const unreachable: Reply = { _tag: "Unreachable" }
const declined: Reply = { _tag: "Declined" }

const elicit = (client: Client, form: Form): Effect.Effect<Reply> =>
  Effect.flatMap(client.getClient, (reverse) => reverse.elicit(paramsOf(form))).pipe(
    Effect.map((result) => (result.action === "accept" ? filled(form, result.content) : declined)),
    Effect.catch(() => Effect.succeed(unreachable)),
    Effect.scoped
  )

const paramsOf = ({ fields, message }: Form): McpSchema.ElicitRequestFormParams =>
  new McpSchema.ElicitRequestFormParams({
    mode: "form",
    message,
    requestedSchema: {
      type: "object",
      properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, propertyOf(field)])),
      required: Object.keys(fields).filter((name) => isRequired(fields[name]))
    }
  })

const propertyOf = (field: Field) => {
  const { title } = field
  switch (field._tag) {
    case "Choice":
      return { type: "string" as const, title, enum: field.options }
    case "Text":
      return { type: "string" as const, title }
    case "Flag":
      return { type: "boolean" as const, title }
  }
}

const isRequired = (field: Field | undefined): boolean =>
  field !== undefined && field._tag !== "Flag" && field.isRequired === true

/** Nothing that a client sends is trusted to fit. */
const filled = ({ fields }: Form, content: unknown): Reply => {
  const sent = new Map<string, unknown>(Object.entries(Object(content)))
  const values: Record<string, string | boolean> = {}
  for (const [name, field] of Object.entries(fields)) {
    const value = sent.get(name)
    if (isBlank(value)) {
      if (isRequired(field)) return declined
    } else if (fits(field, value)) values[name] = value
    else return declined
  }
  return { _tag: "Filled", values }
}

/** Clients send what was left out in different ways. */
const isBlank = (value: unknown): boolean => value === undefined || value === null || value === ""

const fits = (field: Field, value: unknown): value is string | boolean => {
  if (field._tag === "Flag") return typeof value === "boolean"
  return typeof value === "string" && (field._tag === "Text" || field.options.includes(value))
}
