/** Effect's server response written to Node's, at the pace of the client. */
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Stream from "effect/Stream"
import type * as Http from "node:http"

/** Ends when the whole response is handed to the system or the connection is gone. */
export const send = (
  outgoing: Http.ServerResponse,
  request: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse
): Effect.Effect<void, unknown> =>
  Effect.suspend(() => {
    if (outgoing.destroyed || outgoing.headersSent) return Effect.void
    const { content, head } = partsOf(response, request.method === "HEAD")
    outgoing.statusCode = head.status
    outgoing.statusMessage = head.statusText
    outgoing.setHeaders(head.headers)
    if (content instanceof Uint8Array) return finish(outgoing, content)
    // A client learns the status before the first chunk, which may be far away.
    outgoing.flushHeaders()
    return Stream.runForEach(content, (chunk) => write(outgoing, chunk)).pipe(
      Effect.andThen(finish(outgoing)),
      Effect.interruptible
    )
  })

/** An empty answer, in place of whatever was prepared. */
export const refuse = (outgoing: Http.ServerResponse, status: number): void => {
  for (const name of outgoing.getHeaderNames()) outgoing.removeHeader(name)
  outgoing.statusCode = status
  outgoing.statusMessage = ""
  outgoing.end()
}

interface Parts {
  readonly head: Response
  readonly content: Uint8Array | Stream.Stream<Uint8Array, unknown>
}

/** Effect merges headers and cookies for the web's `Response`; bytes and streams need not pass through its body. */
const partsOf = (response: HttpServerResponse.HttpServerResponse, isHead: boolean): Parts => {
  const { body } = response
  const head = (withoutBody: boolean) => HttpServerResponse.toWeb(response, { withoutBody })
  if (HttpServerResponse.omitsBody(response, isHead)) return { head: head(true), content: empty }
  switch (body._tag) {
    case "Empty":
      return { head: head(true), content: empty }
    case "Uint8Array":
      return { head: head(true), content: body.body }
    case "Stream":
      return { head: head(true), content: body.stream }
    case "Raw":
    case "FormData":
      return webPartsOf(head(false))
  }
}

const empty = new Uint8Array()

const webPartsOf = (head: Response): Parts => {
  const { body } = head
  if (body === null) return { head, content: empty }
  return { head, content: Stream.fromReadableStream({ evaluate: () => body, onError: (cause) => cause }) }
}

/** A full buffer makes the handler wait, so a slow client never has more than one buffer in memory. */
const write = (outgoing: Http.ServerResponse, chunk: Uint8Array) =>
  Effect.callback<void>((resume) => {
    if (outgoing.write(chunk)) return resume(Effect.void)
    return whenever(outgoing, "drain", resume)
  })

const finish = (outgoing: Http.ServerResponse, chunk?: Uint8Array) =>
  Effect.suspend(() => {
    outgoing.end(chunk)
    // Interruptible although the response is complete: a client may take it as slowly as it likes.
    return Effect.interruptible(Effect.callback<void>((resume) => whenever(outgoing, "finish", resume)))
  })

/** Also when the connection closes, after which neither event comes. */
const whenever = (
  outgoing: Http.ServerResponse,
  event: "drain" | "finish",
  resume: (effect: Effect.Effect<void>) => void
) => {
  const stop = () => outgoing.off(event, done).off("close", done)
  const done = () => {
    stop()
    resume(Effect.void)
  }
  outgoing.once(event, done).once("close", done)
  return Effect.sync(stop)
}
