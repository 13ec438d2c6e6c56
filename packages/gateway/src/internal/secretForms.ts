/** The spellings in which a secret may come back. */

/** Shorter ones would be found in innocent text. A part of base64 that is this short tells next to nothing. */
const minForm = 4

export const formsOf = (secret: string): ReadonlyArray<string> => {
  const bytes = new TextEncoder().encode(secret)
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
  const once = jsonEscaped(secret)
  const url = encodeURIComponent(secret.toWellFormed())
  return [
    secret,
    once,
    jsonEscaped(once),
    ...bothCases(url),
    ...bothCases(everyByte(hex)),
    url.replaceAll("%20", "+"),
    ...bothCases(hex),
    ...base64Forms(bytes)
  ].filter(({ length }) => length >= minForm)
}

/** As inside a JSON text, without the quotes. */
const jsonEscaped = (text: string): string => JSON.stringify(text).slice(1, -1)

/** Hex digits may be of either case; the letters that are not escaped keep theirs. */
const bothCases = (text: string): ReadonlyArray<string> => {
  if (!text.includes("%")) return [text, ...(/^[0-9a-f]+$/u.test(text) ? [text.toUpperCase()] : [])]
  const lower = (escape: string) => escape.toLowerCase()
  const upper = (escape: string) => escape.toUpperCase()
  return [text.replaceAll(/%[0-9a-f]{2}/giu, lower), text.replaceAll(/%[0-9a-f]{2}/giu, upper)]
}

/** Encoders may escape more than they have to. */
const everyByte = (hex: string): string => hex.replaceAll(/../gu, "%$&")

/** What of the base64 text is fixed by the secret alone, if it begins at each of the three places of a group. */
const base64Forms = (bytes: Uint8Array): ReadonlyArray<string> =>
  [0, 1, 2].flatMap((before) => {
    const padded = new Uint8Array(before + bytes.length)
    padded.set(bytes, before)
    const encoded = Buffer.from(padded).toString("base64").replaceAll("=", "")
    const fixed = encoded.slice(skipped[before], padded.length % 3 === 0 ? undefined : -1)
    return [fixed, fixed.replaceAll("+", "-").replaceAll("/", "_")]
  })

/** Characters that also hold bits of what stands before the secret. */
const skipped = [0, 2, 3]
