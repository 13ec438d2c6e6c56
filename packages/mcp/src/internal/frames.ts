/**
 * Lines of JSON from a client that may send anything. What is no message is answered and left out, so that the server
 * behind it never sees it, and a line that never ends costs no more memory than the longest that is allowed.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** What a line cannot be used for. */
export type Fault = "TooLong" | "NotJson"

const lineFeed = 0x0a

/** Gives the whole lines of a stream, with their ends. */
export const wholeLines =
  <E2, R2>(maxBytes: number, refuse: (fault: Fault) => Effect.Effect<void, E2, R2>) =>
  <E, R>(input: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, E | E2, R | R2> =>
    Stream.suspend(() => {
      const lines = new Lines(maxBytes)
      return Stream.mapEffect(input, (chunk) =>
        Effect.gen(function* () {
          const { faults, message } = lines.take(chunk)
          for (const fault of faults) yield* refuse(fault)
          return message
        })
      )
    }).pipe(Stream.filter((message) => message.length > 0))

interface Taken {
  readonly message: Uint8Array
  readonly faults: ReadonlyArray<Fault>
}

class Lines {
  readonly #maxBytes: number
  #parts: Array<Uint8Array> = []
  #length = 0
  #isTooLong = false

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  take(chunk: Uint8Array): Taken {
    const whole: Array<Uint8Array> = []
    const faults: Array<Fault> = []
    let start = 0
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      this.#add(chunk.subarray(start, end + 1))
      const fault = this.#end(whole)
      if (fault !== undefined) faults.push(fault)
      start = end + 1
    }
    this.#add(chunk.subarray(start))
    return { message: Buffer.concat(whole), faults }
  }

  #add(part: Uint8Array): void {
    this.#length += part.length
    if (this.#length > this.#maxBytes) {
      this.#isTooLong = true
      this.#parts = []
    }
    // A copy, because the stream may use the memory of its chunk again.
    else if (part.length > 0) this.#parts.push(part.slice())
  }

  #end(whole: Array<Uint8Array>): Fault | undefined {
    const line = Buffer.concat(this.#parts)
    const isTooLong = this.#isTooLong
    this.#parts = []
    this.#length = 0
    this.#isTooLong = false
    if (isTooLong) return "TooLong"
    const text = line.toString().trim()
    if (text === "") return undefined
    if (!isMessage(text)) return "NotJson"
    whole.push(line)
    return undefined
  }
}

const isMessage = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null
  } catch {
    return false
  }
}
