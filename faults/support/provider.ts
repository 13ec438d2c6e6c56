/** A model's server on the loopback address. */
import { Effect } from "effect"
import * as Http from "node:http"
import { listening, portOf } from "./proxy.ts"

/** What is wrong with the first answer itself. */
export type Answering = "once" | "twice" | "for another call"

const chunk = (delta: object, finish: string | null = null): object => ({
  id: "answer",
  object: "chat.completion.chunk",
  created: 0,
  model: "m",
  choices: [{ index: 0, delta, finish_reason: finish }]
})

const called = (index: number, id: string): object =>
  chunk({
    tool_calls: [
      { index, id, type: "function", function: { name: "act", arguments: JSON.stringify({ value: index }) } }
    ]
  })

const answerOf = (body: string, answering: Answering): ReadonlyArray<object> => {
  const { messages }: { messages: ReadonlyArray<{ role: string }> } = JSON.parse(body)
  const results = messages.filter(({ role }) => role === "tool").length
  if (results >= (answering === "for another call" ? 4 : 2)) return [chunk({ content: "Done" }), chunk({}, "stop")]
  const calls = [called(0, "one"), called(1, "two")]
  return [
    chunk({ content: "I act" }),
    ...(answering === "twice" ? calls.flatMap((call) => [call, call]) : calls),
    chunk({}, "tool_calls")
  ]
}

/** Asks for two calls, and says that it is done when it has both results. For another call, it asks under the same ids again. */
export const model = (answering: Answering) =>
  Effect.suspend(() => {
    let wrong = 0
    const server = listening(
      Http.createServer((request, response) => {
        const pieces: Array<Buffer> = []
        request.on("data", (piece: Buffer) => pieces.push(piece))
        request.on("end", () => {
          const events = answerOf(Buffer.concat(pieces).toString(), answering)
          if (answering !== "once") wrong++
          response.writeHead(200, { "content-type": "text/event-stream", connection: "close" })
          for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`)
          response.end("data: [DONE]\n\n")
        })
      })
    )
    return Effect.map(server, (server) => ({ port: portOf(server), wrong: () => wrong }))
  })
