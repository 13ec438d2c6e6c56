/** Takes known secrets out of bytes on their way, in every form in which programs like to print them. */

/** A shorter one would be found in innocent text. */
export const minSecretLength = 8

/** Stands where a secret was. */
const mask = Buffer.from("<redacted>")

/** Every form of every secret, longest first. */
export const formsOf = (secrets: ReadonlyArray<string>): ReadonlyArray<Buffer> => {
  const texts = new Set(secrets.flatMap(spellings).filter(({ length }) => length >= minSecretLength))
  return [...texts].map((text) => Buffer.from(text)).toSorted((left, right) => right.length - left.length)
}

const spellings = (secret: string): ReadonlyArray<string> => {
  const bytes = Buffer.from(secret)
  const hex = bytes.toString("hex")
  const base64 = [0, 1, 2].map((offset) => base64At(bytes, offset))
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    hex,
    hex.toUpperCase(),
    ...base64,
    ...base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"))
  ]
}

/** The characters that depend on nothing but the secret, if so many bytes stand before it in the same block of three. */
const base64At = (secret: Buffer, offset: number): string => {
  const bytes = Buffer.concat([Buffer.alloc(offset), secret])
  return bytes.toString("base64").slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6))
}

/** Of one stream. Holds back as many bytes as could be the beginning of a secret. */
export class Scrubber {
  private readonly forms: ReadonlyArray<Buffer>
  private rest: Buffer = Buffer.alloc(0)

  constructor(forms: ReadonlyArray<Buffer>) {
    this.forms = forms
  }

  push(bytes: Uint8Array): Uint8Array {
    if (this.forms.length === 0) return bytes
    const { clean, end } = this.scrubbed(Buffer.concat([this.rest, bytes]), (this.forms[0]?.length ?? 1) - 1)
    this.rest = end
    return clean
  }

  end(): Uint8Array {
    const { clean } = this.scrubbed(this.rest, 0)
    this.rest = Buffer.alloc(0)
    return clean
  }

  private scrubbed(bytes: Buffer, heldBack: number): { readonly clean: Buffer; readonly end: Buffer } {
    const pieces: Array<Uint8Array> = []
    const limit = bytes.length - heldBack
    let from = 0
    // What begins later waits for more bytes: it may be the beginning of a longer secret.
    for (let next = this.next(bytes, 0); next !== undefined && next.at < limit; next = this.next(bytes, from)) {
      pieces.push(bytes.subarray(from, next.at), mask)
      from = next.at + next.length
    }
    const until = Math.max(from, limit)
    return { clean: Buffer.concat([...pieces, bytes.subarray(from, until)]), end: Buffer.from(bytes.subarray(until)) }
  }

  /** The first, and of those that begin there the longest. */
  private next(bytes: Buffer, from: number): { readonly at: number; readonly length: number } | undefined {
    let found: { readonly at: number; readonly length: number } | undefined
    for (const form of this.forms) {
      const at = bytes.indexOf(form, from)
      if (at !== -1 && (found === undefined || at < found.at)) found = { at, length: form.length }
    }
    return found
  }
}
