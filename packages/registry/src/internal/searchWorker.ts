/** Worker thread of one search: takes the pieces of an output in order and answers each with what it found. */
import type * as OutputStore from "@haft/core/OutputStore"
import { RE2JSException, type RE2JS } from "re2js"
import { type MessagePort, parentPort, workerData } from "node:worker_threads"
import { compile, LineSearch } from "./lineSearch.ts"
import type { Reply, Request } from "./searchProtocol.ts"

const listen = (port: MessagePort, query: OutputStore.Query): void => {
  const reply = (message: Reply) => port.postMessage(message)
  const compiled = attempt(query)
  if (typeof compiled === "string") return reply({ _tag: "Refused", message: compiled })
  const search = new LineSearch(compiled, query.offset ?? 0)
  port.on("message", (request: Request) => {
    const matches = request._tag === "End" ? search.end() : search.push(request.piece)
    reply({ _tag: "Searched", matches, offset: search.searched })
  })
  return reply({ _tag: "Compiled" })
}

/** What is wrong with the pattern, in the words of the engine. */
const attempt = (query: OutputStore.Query): RE2JS | string => {
  try {
    return compile(query)
  } catch (error) {
    if (error instanceof RE2JSException) return error.message
    throw error
  }
}

if (parentPort !== null) listen(parentPort, workerData)
