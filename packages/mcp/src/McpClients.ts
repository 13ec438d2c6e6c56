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

/** One thing to decide, and the answers to choose from. */
export interface Question {
  readonly message: string
  readonly answers: ReadonlyArray<string>
}

/** What the person chose, and what they want to say about it. */
export interface Answer {
  readonly answer: string
  readonly feedback?: string
}

/** Which call is meant. */
export type CallRef = Pick<Tool.Context, "sessionID" | "assistantMessageID">

export interface Interface {
  /** None if the client cannot ask, if nobody answered, or if the call is over. */
  readonly ask: (call: CallRef, question: Question) => Effect.Effect<Option.Option<Answer>>
  /** Runs a call as one that can be asked about. */
  readonly during: <A, E, R>(request: Request, call: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export class Service extends Context.Service<Service, Interface>()("@haft/mcp/McpClients") {}

type Client = McpSchema.McpServerClient["Service"]

/** For one server. Needs nothing: clients enter with their calls. */
export const layer: Layer.Layer<Service> = Layer.sync(Service, () => {
  const clients = new Map<string, Client>()
  return {
    ask: (call, question) => {
      const client = clients.get(keyOf(call))
      return client === undefined ? Effect.succeedNone : elicit(client, question)
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

const elicit = (client: Client, question: Question): Effect.Effect<Option.Option<Answer>> =>
  Effect.flatMap(client.getClient, (reverse) => reverse.elicit(formOf(question))).pipe(
    Effect.map((result) => (result.action === "accept" ? answerOf(result.content, question.answers) : Option.none())),
    Effect.catch(() => Effect.succeedNone),
    Effect.scoped
  )

const formOf = ({ answers, message }: Question): McpSchema.ElicitRequestFormParams =>
  new McpSchema.ElicitRequestFormParams({
    mode: "form",
    message,
    requestedSchema: {
      type: "object",
      properties: {
        answer: { type: "string", title: "Answer", enum: answers },
        feedback: { type: "string", title: "What to do instead" }
      },
      required: ["answer"]
    }
  })

/** Nothing that a client sends is trusted to be one of the answers. */
const answerOf = (content: unknown, answers: ReadonlyArray<string>): Option.Option<Answer> => {
  const { answer, feedback } = Object(content)
  if (!answers.includes(answer)) return Option.none()
  return Option.some(typeof feedback === "string" && feedback !== "" ? { answer, feedback } : { answer })
}
