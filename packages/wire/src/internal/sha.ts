/**
 * SHA-1 and SHA-256 without waiting. Codecs are synchronous and run in browsers, where the platform's digests are not;
 * identifiers are derived with these, and nothing is protected by them.
 */
import * as Hex from "effect/encoding/Hex"
import * as Result from "effect/Result"

/** The UTF-8 bytes of a text. */
export const utf8 = (text: string): Uint8Array => bytesOf(Hex.encode(text))

/** Expects hex digits in pairs. */
export const bytesOf = (hex: string): Uint8Array => Result.getOrThrow(Hex.decode(hex))

const rotate = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits))

/** A word of a list that is known to have it. */
const at = (words: Uint32Array, index: number): number => words[index] ?? 0

/** The message, one bit, zeros and the length in bits: blocks of sixteen big-endian words. */
const blocksOf = (message: Uint8Array): ReadonlyArray<Uint32Array> => {
  const padded = new Uint8Array(Math.ceil((message.length + 9) / 64) * 64)
  padded.set(message)
  padded[message.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 8, Math.floor(message.length / 2 ** 29))
  view.setUint32(padded.length - 4, message.length << 3)
  return Array.from({ length: padded.length / 64 }, (_, block) =>
    Uint32Array.from({ length: 16 }, (_, word) => view.getUint32(block * 64 + word * 4))
  )
}

type Compress = (state: Uint32Array, block: Uint32Array) => Uint32Array

/** Each block changes the state, and is added to what it was. */
const digest = (initial: ReadonlyArray<number>, compress: Compress, message: Uint8Array): string =>
  [
    ...blocksOf(message).reduce(
      (state, block) => compress(state, block).map((word, index) => word + at(state, index)),
      Uint32Array.from(initial)
    )
  ]
    .map((word) => word.toString(16).padStart(8, "0"))
    .join("")

const compress1: Compress = (state, block) => {
  const words = new Uint32Array(80)
  words.set(block)
  for (let t = 16; t < 80; t++) {
    words[t] = rotate(at(words, t - 3) ^ at(words, t - 8) ^ at(words, t - 14) ^ at(words, t - 16), 31)
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0] = state
  for (let t = 0; t < 80; t++) {
    const next = (rotate(a, 27) + mix1(t, b, c, d) + e + at(words, t)) >>> 0
    ;[e, d, c, b, a] = [d, c, rotate(b, 2), a, next]
  }
  return Uint32Array.of(a, b, c, d, e)
}

/** The function and the constant of each twenty rounds. */
const mix1 = (t: number, b: number, c: number, d: number): number => {
  if (t < 20) return ((b & c) | (~b & d)) + 0x5a827999
  if (t < 40) return (b ^ c ^ d) + 0x6ed9eba1
  if (t < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
  return (b ^ c ^ d) + 0xca62c1d6
}

/** 40 lower-case hex digits. */
export const sha1 = (message: Uint8Array): string =>
  digest([0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0], compress1, message)

const isPrime = (n: number): boolean => {
  for (let divisor = 2; divisor * divisor <= n; divisor++) if (n % divisor === 0) return false
  return true
}

/** The 64th prime is 311. */
const primes = Array.from({ length: 310 }, (_, index) => index + 2).filter(isPrime)

/** The first 32 bits behind the point. */
const fraction = (root: number): number => Math.floor((root % 1) * 2 ** 32)

const initial256 = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)))
const rounds256 = Uint32Array.from(primes, (prime) => fraction(Math.cbrt(prime)))

const compress256: Compress = (state, block) => {
  const words = new Uint32Array(64)
  words.set(block)
  for (let t = 16; t < 64; t++) {
    const [near, far] = [at(words, t - 2), at(words, t - 15)]
    const spread = (rotate(near, 17) ^ rotate(near, 19) ^ (near >>> 10)) + at(words, t - 7)
    words[t] = spread + (rotate(far, 7) ^ rotate(far, 18) ^ (far >>> 3)) + at(words, t - 16)
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let t = 0; t < 64; t++) {
    const choice = (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g))
    const first = h + choice + at(rounds256, t) + at(words, t)
    const second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))
    ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + first) >>> 0, c, b, a, (first + second) >>> 0]
  }
  return Uint32Array.of(a, b, c, d, e, f, g, h)
}

/** 64 lower-case hex digits. */
export const sha256 = (message: Uint8Array): string => digest(initial256, compress256, message)
