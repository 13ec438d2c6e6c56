/** What is told about a command while it runs: how much it has printed, and the last line of it, now and then. */
import type * as Progress from "@haft/core/Progress"

/** As often as somebody who watches can take it in. */
const intervalMillis = 250

/** One line on a screen. */
const maxLength = 200

/** Of a chunk only the end can be its last line. */
const lookedAtBytes = 1024

/** Nothing that a terminal would obey. */
const invisible = /\p{C}/gu

export class Reporter {
  private last = Number.NEGATIVE_INFINITY
  private bytes = 0

  /** `clean` holds no secret any more. */
  next(clean: Uint8Array, length: number, now: number): Progress.Update | undefined {
    this.bytes += length
    if (now - this.last < intervalMillis) return undefined
    this.last = now
    const message = lastLine(clean)
    return message === "" ? { completed: this.bytes } : { message, completed: this.bytes }
  }
}

const lastLine = (bytes: Uint8Array): string => {
  const text = Buffer.from(bytes.subarray(-lookedAtBytes)).toString("utf8")
  const lines = text.split(/[\r\n]+/).map((line) => line.replaceAll(invisible, "").trim())
  return [...(lines.findLast((line) => line !== "") ?? "")].slice(0, maxLength).join("")
}
