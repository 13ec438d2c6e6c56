import { assert, describe, it } from "@effect/vitest"
import { Scrubber } from "@haft/gateway"
import { Schema } from "effect"

const secret = 'pa"ss wörd/+?&東京'
const scrubber = Scrubber.make([secret])

const utf8 = (text: string) => Buffer.from(text, "utf8")

const spellings: Readonly<Record<string, string>> = {
  "as it is": secret,
  "escaped for JSON": JSON.stringify({ a: secret }),
  "escaped for JSON twice": JSON.stringify(JSON.stringify(secret)),
  "encoded for a URL": encodeURIComponent(secret),
  "encoded for a URL in lower case": encodeURIComponent(secret).replaceAll(/%../g, (escape) => escape.toLowerCase()),
  "encoded for a form": new URLSearchParams({ a: secret }).toString(),
  "in hex": utf8(secret).toString("hex"),
  "in upper-case hex": utf8(secret).toString("hex").toUpperCase(),
  "in base64": utf8(secret).toString("base64"),
  "in base64 behind one byte": utf8(`:${secret}`).toString("base64"),
  "in base64 behind two bytes": utf8(`a:${secret}`).toString("base64"),
  "in base64 as Basic credentials": `Basic ${utf8(`user:${secret}`).toString("base64")}`,
  "in base64url": utf8(`user:${secret};more`).toString("base64url")
}

/** What is left of the secret in each spelling when a few characters at both ends are gone. */
const cores = [
  secret,
  JSON.stringify(secret),
  encodeURIComponent(secret),
  utf8(secret).toString("hex"),
  ...["", ":", "a:"].flatMap((before) => [
    utf8(before + secret).toString("base64"),
    utf8(before + secret).toString("base64url")
  ])
].map((spelling) => spelling.slice(5, -5).toLowerCase())

const reveals = (text: string): boolean => cores.some((core) => text.toLowerCase().includes(core))

describe("a scrubber", () => {
  it.each(Object.entries(spellings))("M30: takes a secret out %s", (_, spelling) => {
    assert.isTrue(reveals(spelling) || spelling.includes("+"), "the control")
    const clean = scrubber.text(`before ${spelling} after`)
    assert.include(clean, Scrubber.mark)
    assert.match(clean, /^before .* after$/s)
    assert.isFalse(reveals(clean), clean)
  })

  it("leaves other text as it is", () => {
    const text = "pass word, cGFzcw== and 70617373"
    assert.strictEqual(scrubber.text(text), text)
  })

  it("takes secrets out of JSON, keys and numbers included, and gives clean JSON back as it is", () => {
    const both = Scrubber.make([secret, "31415926"])
    const json: Schema.Json = { [secret]: [secret, 31_415_926, { a: `x${secret}` }], b: null }
    assert.deepStrictEqual(both.json(json), {
      [Scrubber.mark]: [Scrubber.mark, Scrubber.mark, { a: `x${Scrubber.mark}` }],
      b: null
    })
    const clean = { a: [1, "x"] }
    assert.strictEqual(both.json(clean), clean)
  })

  it("takes the longer of two secrets out whole", () => {
    assert.strictEqual(Scrubber.make(["abcd", "abcdefgh"]).text("abcdefgh abcd"), "[REDACTED] [REDACTED]")
  })

  it("refuses a secret that cannot be told from other text, and does nothing without secrets", () => {
    assert.throws(() => Scrubber.make(["abc"]), RangeError)
    assert.strictEqual(Scrubber.make([]), Scrubber.none)
  })

  it.each([
    ["Bearer abcdef", "Bearer [REDACTED]"],
    ["sent Authorization: Basic abc def\nnext", "sent Authorization: [REDACTED]\nnext"],
    ["X-Api-Key: 1", "X-Api-Key: [REDACTED]"],
    ["?api_key=abc&x=1", "?api_key=[REDACTED]"],
    ["password: hunter2, then", "password: [REDACTED] then"],
    ["sk-abcdefghij0123", "sk-[REDACTED]"],
    ["sk-short and the token was lost", "sk-short and the token was lost"]
  ])("M30: knows where credentials stand: %s", (text, expected) => {
    assert.strictEqual(Scrubber.byName(text), expected)
  })
})

const Cuts = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 })))
const Pieces = Schema.Array(
  Schema.Literals([...Object.values(spellings), "pa", 'pa"ss', "東", "x", "cGEi", "", "\ud83d\udee0"])
)

describe("a stream of chunks", () => {
  it.prop(
    "M30: is scrubbed as the whole is, wherever it is cut",
    { pieces: Pieces, cuts: Cuts },
    ({ cuts, pieces }) => {
      const whole = pieces.join("")
      const stream = scrubber.stream()
      let [out, from] = ["", 0]
      for (const cut of cuts) {
        out += stream.push(whole.slice(from, from + cut))
        from += cut
      }
      out += stream.push(whole.slice(from)) + stream.end()
      assert.strictEqual(out, scrubber.text(whole))
    }
  )

  it.prop("M30: of bytes gives the bytes of the scrubbed text", { pieces: Pieces, cuts: Cuts }, ({ cuts, pieces }) => {
    const whole = utf8(pieces.join("").toWellFormed())
    const stream = scrubber.streamBytes()
    const out: Array<Uint8Array> = []
    let from = 0
    for (const cut of cuts) {
      out.push(stream.push(whole.subarray(from, from + cut)))
      from += cut
    }
    out.push(stream.push(whole.subarray(from)), stream.end())
    assert.strictEqual(Buffer.concat(out).toString("utf8"), scrubber.text(whole.toString("utf8")))
  })

  it("leaves bytes that are no text as they are", () => {
    const bytes = Uint8Array.from({ length: 512 }, (_, index) => index % 256)
    const stream = scrubber.streamBytes()
    assert.isTrue(Buffer.concat([stream.push(bytes), stream.end()]).equals(bytes))
  })
})
