/** Worker thread of one search: takes the pieces of an output in order and answers each with what it found. */
import type * as OutputStore from "@haft/core/OutputStore"
import { RE2JSException } from "re2js"
import { type MessagePort, parentPort, workerData } from "node:worker_threads"
import { LineSearch } from "./lineSearch.ts"
import { compile, type SearchPattern } from "./searchPattern.ts"
import type { Reply, Request } from "./searchProtocol.ts"

/** Matches in one reply. A long line has as many as it has bytes, and who asked may want a few of them only. */
const batch = 200

const listen = (port: MessagePort, query: OutputStore.Query): void => {
  const reply = (message: Reply) => port.postMessage(message)
  const compiled = attempt(query)
  if (typeof compiled === "string") return reply({ _tag: "Refused", message: compiled })
  const search = new LineSearch(compiled, query.offset ?? 0)
  let found: Iterator<OutputStore.Match> = [].values()
  port.on("message", (request: Request) => {
    if (request._tag === "Search") found = search.push(request.piece)
    if (request._tag === "End") found = search.end()
    const matches = nextOf(found)
    reply({ _tag: "Searched", matches, offset: search.searched, isComplete: matches.length < batch })
  })
  return reply({ _tag: "Compiled" })
}

const nextOf = (found: Iterator<OutputStore.Match>): ReadonlyArray<OutputStore.Match> => {
  const matches: Array<OutputStore.Match> = []
  while (matches.length < batch) {
    const { done, value } = found.next()
    if (done === true) break
    matches.push(value)
  }
  return matches
}

/** What is wrong with the pattern, in the words of the engine. */
const attempt = (query: OutputStore.Query): SearchPattern | string => {
  try {
    return compile(query)
  } catch (error) {
    if (error instanceof RE2JSException) return error.message
    throw error
  }
}

if (parentPort !== null) listen(parentPort, workerData)
