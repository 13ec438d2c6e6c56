import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { addressOf, isCovered, limitsOf, markdownOf, maxDepth, readPage, Types } from "./support/internal.ts"

const limits = limitsOf({ ports: [80, 443, 8080] })

const addressAt = (url: string) => Result.getOrThrow(addressOf(url, limits))

describe("redirects that a permission covers", () => {
  it.each([
    ["http://a.test/x", "http://a.test/y", true],
    ["http://a.test/x", "https://a.test/y", true],
    ["https://a.test/x", "http://a.test/y", false],
    ["https://a.test/x", "https://www.a.test/x", false],
    ["https://a.test/x", "https://a.test:8080/x", false],
    ["http://a.test:8080/x", "https://a.test/x", false],
    ["http://a.test/x", "https://a.test:8080/x", false]
  ])("from %s to %s: %s", (from, to, expected) => {
    assert.strictEqual(isCovered(addressAt(from), addressAt(to)), expected)
  })
})

describe("addresses", () => {
  it.prop("are in a form that reads as itself", { path: Schema.String, host: Schema.String }, ({ host, path }) => {
    const read = addressOf(`https://${host}/${path}`, limits)
    if (Result.isFailure(read)) return
    const { origin, url } = read.success
    assert.deepStrictEqual(addressOf(url, limits), read)
    assert.isTrue(url.startsWith(`${origin}/`))
    assert.match(url, /^[!-~]+$/)
  })
})

const address = "https://a.test/docs/index.html"

describe("the text of a page", () => {
  it.each([
    ["a  <b>b</b>\n c", "a b c"],
    ["<p>a</p><p>b</p>", "a\n\nb"],
    ["<div><div><p>a</p></div></div>b", "a\n\nb"],
    ["a<br>b<br/>c", "a\nb\nc"],
    ["<ul><li>a<li>b</ul>c", "a\nb\n\nc"],
    ["<pre>a\n  b<br>c</pre>d", "a\n  b\nc\n\nd"],
    ["a&nbsp;&amp;&lt;b&gt;", "a &<b>"],
    ["<script>x</script>a<style>y</style><svg><title>z</title></svg>", "a"],
    ["<title>t</title><p>a", "a"],
    ["", ""],
    ["<p>a</p", "a"],
    ["a <b>b</b>", "a b"],
    ["a<b> b</b>", "a b"]
  ])("%j reads %j", (html, text) => {
    assert.strictEqual(readPage(html, address).text, text)
  })

  it("has the first title, on one line", () => {
    assert.strictEqual(
      readPage("<svg><title>no</title></svg><title> a\n b </title><title>c</title>", address).title,
      "a b"
    )
  })

  it("has no more of a title than a title is", () => {
    const { title } = readPage(`<title>${"x".repeat(1_000_000)}`, address)
    assert.strictEqual(title, `${"x".repeat(300)}…`)
  })

  it("comes from pages as deep as any that a person writes", () => {
    const nested = (depth: number) => `${"<div>".repeat(depth)}deep`
    assert.strictEqual(readPage(nested(maxDepth), address).text, "deep")
    assert.throws(() => readPage(nested(maxDepth + 1), address))
    assert.strictEqual(readPage("<br>".repeat(10_000), address).text, "")
  })

  it.prop(
    "of anything holds no marks of HTML that were not text",
    { words: Schema.Array(Schema.String) },
    ({ words }) => {
      const html = words.map((word) => `<p>${word.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</p>`).join("")
      const expected = words.map((word) => word.replaceAll(/\s+/g, " ").trim()).filter((word) => word !== "")
      assert.strictEqual(readPage(html, address).text, expected.join("\n\n").trimEnd())
    }
  )
})

describe("the links of a page", () => {
  it.each([
    ["/x", "https://a.test/x"],
    ["../x?a=1", "https://a.test/x?a=1"],
    ["#part", "https://a.test/docs/index.html#part"],
    ["//b.test/", "https://b.test/"],
    ["mailto:a@b.test", "mailto:a@b.test"]
  ])("%s is completed", (href, complete) => {
    assert.include(readPage(`<a href="${href}">x</a>`, address).html, `<a href="${complete}">`)
  })

  it.each(["javascript:alert(1)", "data:text/html,a", " java\nscript:alert(1)", "file:///etc/passwd", "http://["])(
    "%j is left out",
    (href) => {
      assert.strictEqual(readPage(`<a href="${href}">x</a>`, address).html, "<a>x</a>")
    }
  )

  it("begin where the page says", () => {
    const { html } = readPage('<base href="/other/"><a href="x">x</a>', address)
    assert.include(html, '<a href="https://a.test/other/x">')
  })
})

describe("Markdown", () => {
  it("has tables with one row a line, also around tables", () => {
    const inner = "<table><tr><td>1</td><td>2</td></tr></table>"
    assert.strictEqual(
      markdownOf(
        `<table><thead><tr><th>a</th><th>b</th></tr></thead><tr><td><p>x</p><p>y</p></td><td>${inner}</td></tr></table>`
      ),
      "| a | b |\n| --- | --- |\n| x y | 1 2 |"
    )
  })

  it("never holds the text of programs", () => {
    assert.strictEqual(markdownOf("<p>a</p><script>b</script><style>c</style><noscript>d</noscript>"), "a")
  })
})

describe("types of content", () => {
  it.each([
    ["text/html; charset=UTF-8", { mimeType: "text/html", charset: "UTF-8" }],
    ["TEXT/Plain", { mimeType: "text/plain", charset: undefined }],
    ['text/plain; a=b; Charset="latin1"', { mimeType: "text/plain", charset: "latin1" }],
    ["", undefined],
    ["nonsense", undefined],
    [`text/${"x".repeat(128)}`, undefined],
    [undefined, undefined]
  ])("%j is read", (header, type) => {
    assert.deepStrictEqual(Types.parseContentType(header), type)
  })

  it.each(["text/css", "application/json", "application/ld+json", "application/rss+xml", "application/x-yaml"])(
    "%s can be read by a model",
    (type) => assert.isTrue(Types.isTextual(type))
  )

  it.each(["image/svg", "application/pdf", "application/octet-stream", "video/mp4", "application/zip"])(
    "%s cannot",
    (type) => assert.isFalse(Types.isTextual(type))
  )
})
