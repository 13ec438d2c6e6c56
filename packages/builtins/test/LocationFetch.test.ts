import { assert, describe, it } from "@effect/vitest"
import { LocationFetch } from "@haft/builtins"
import { Deferred, Effect, Fiber, Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { Writable } from "node:stream"
import * as Zlib from "node:zlib"
import { contentOf, eventually, fetcherOf, privateAddress, publicAddress, serve } from "./support/web.ts"

const outside = [
  "1.1.1.1",
  "93.184.216.34",
  "172.15.255.255",
  "172.32.0.1",
  "192.167.255.255",
  "100.63.255.255",
  "2606:4700::1111",
  "2a00:1450:4001::1",
  "::ffff:1.1.1.1"
]

const inside = [
  "0.0.0.0",
  "10.0.0.1",
  "100.64.0.1",
  "100.100.100.200",
  "127.0.0.1",
  "127.255.255.254",
  "168.63.129.16",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.192",
  "192.0.2.1",
  "192.88.99.1",
  "192.168.0.1",
  "198.18.0.1",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::7f00:1",
  "::ffff:127.0.0.1",
  "::ffff:a9fe:a9fe",
  "64:ff9b::a00:1",
  "64:ff9b::101:101",
  "64:ff9b:1::a9fe:a9fe",
  "100::1",
  "100:0:0:1::1",
  "2001::80ff:fffe",
  "2001:2::1",
  "2001:10::1",
  "2001:20::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "3fff::1",
  "4000::1",
  "5f00::1",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "fe80::1%eth0",
  "fec0::1",
  "ff02::1",
  "",
  "example.com"
]

describe("which addresses are public", () => {
  it.each(outside)("%s is", (address) => {
    assert.isTrue(LocationFetch.isPublic(address))
  })

  it.each(inside)("%s is not", (address) => {
    assert.isFalse(LocationFetch.isPublic(address))
  })

  /** 1.1.1.1 and 10.0.0.1 below each prefix, around the byte that stays free. */
  it.each([
    ["2001:db8::/32", "2001:db8:101:101::", "2001:db8:a00:1::"],
    ["2001:db8:100::/40", "2001:db8:101:101:1::", "2001:db8:10a:0:1::"],
    ["2001:db8:1::/48", "2001:db8:1:101:1:100::", "2001:db8:1:a00:0:100::"],
    ["2001:db8:1:100::/56", "2001:db8:1:101:1:101::", "2001:db8:1:10a:0:1::"],
    ["2001:db8:1:1::/64", "2001:db8:1:1:1:101:100::", "2001:db8:1:1:a:0:100::"],
    ["64:ff9b::/96", "64:ff9b::101:101", "64:ff9b::a00:1"]
  ])("behind the NAT64 prefix %s the IPv4 address decides", (prefix, open, closed) => {
    assert.isTrue(LocationFetch.isPublic(open, [prefix]))
    assert.isFalse(LocationFetch.isPublic(closed, [prefix]))
    assert.isFalse(LocationFetch.isPublic(open))
    assert.isFalse(LocationFetch.isPublic("fd00::1", [prefix]))
  })

  it("a prefix that no NAT64 network has is a mistake of the host's", () => {
    assert.throws(() => LocationFetch.isPublic("::1", ["64:ff9b::/95"]), RangeError)
  })
})

const reasonOf = (url: string) =>
  Effect.gen(function* () {
    const web = yield* fetcherOf([])
    const error = yield* Effect.flip(web.locate(url))
    return `${error._tag.replace("LocationFetch.", "")} ${error.reason}`
  })

describe("what an address means", () => {
  it.effect("is what the network reads, in one form", () =>
    Effect.gen(function* () {
      const web = yield* fetcherOf([])
      const addresses = yield* Effect.forEach(
        [
          "HTTP://Example.COM:80/a/../b?q=1#f",
          "http://exa\nmple.com./b",
          "https://bücher.example/ü",
          "http://a.test/%61%2Dmin%2f%2e%2E/%2e%2e/%7e%c3%bc?%61"
        ],
        web.locate
      )
      assert.deepStrictEqual(
        addresses.map(({ origin, path, url }) => [url, origin, path]),
        [
          ["http://example.com/b?q=1", "http://example.com", "/b"],
          ["http://example.com/b", "http://example.com", "/b"],
          ["https://xn--bcher-kva.example/%C3%BC", "https://xn--bcher-kva.example", "/%C3%BC"],
          ["http://a.test/~%C3%BC?%61", "http://a.test", "/~%C3%BC"]
        ]
      )
      assert.deepStrictEqual(
        addresses.map(({ host, unicodeHost }) => [host, unicodeHost]),
        [
          ["example.com", undefined],
          ["example.com", undefined],
          ["xn--bcher-kva.example", "bücher.example"],
          ["a.test", undefined]
        ]
      )
    })
  )

  it.effect.each([
    ["example.com", "InvalidUrlError NotUrl"],
    ["http://", "InvalidUrlError NotUrl"],
    ["http://./", "InvalidUrlError NotUrl"],
    ["http://a\ud800.com/", "InvalidUrlError NotUrl"],
    ["file:///etc/passwd", "InvalidUrlError Scheme"],
    ["data:text/plain,a", "InvalidUrlError Scheme"],
    ["https://user:secret@example.com/", "InvalidUrlError Credentials"],
    ["http://localhost/", "ForbiddenError LocalName"],
    ["http://a.LOCALHOST./", "ForbiddenError LocalName"],
    ["http://example.com:22/", "ForbiddenError Port"],
    ["http://127.0.0.1/", "ForbiddenError Address"],
    ["http://0x7f.1/", "ForbiddenError Address"],
    ["http://2130706433/", "ForbiddenError Address"],
    ["http://127.0.0.1./", "ForbiddenError Address"],
    ["http://[::ffff:127.0.0.1]/", "ForbiddenError Address"],
    ["http:127.1", "ForbiddenError Address"],
    ["http:\\\\0177.0.0.1", "ForbiddenError Address"],
    ["\t ht\ntp://017700000001", "ForbiddenError Address"],
    ["http://0", "ForbiddenError Address"],
    ["http://@127.0.0.1/", "ForbiddenError Address"],
    ["http://127.0.0.1\\@example.com/", "ForbiddenError Address"],
    ["http://%31%32%37.0.0.1/", "ForbiddenError Address"],
    ["http://\uff11\uff12\uff17.0.0.1/", "ForbiddenError Address"],
    ["http://127\u30020\u30020\u30021/", "ForbiddenError Address"],
    ["http://\u2460\u2461\u2466.0.0.1/", "ForbiddenError Address"],
    ["http://0251.0376.0251.0376/", "ForbiddenError Address"],
    ["http://[::ffff:0:127.0.0.1]/", "ForbiddenError Address"],
    ["http://[64:ff9b::127.0.0.1]/", "ForbiddenError Address"],
    ["http://[2001:1::1]/", "ForbiddenError Address"],
    ["http://loc\u00adalhost/", "ForbiddenError LocalName"],
    ["http://\u24db\u24de\u24d2alhost/", "ForbiddenError LocalName"],
    ["http://[fe80::1%25eth0]/", "InvalidUrlError NotUrl"],
    ["http://127.0.0.1%00.example.com/", "InvalidUrlError NotUrl"],
    ["http://256.256.256.256/", "InvalidUrlError NotUrl"],
    ["http://example.com:0/", "ForbiddenError Port"],
    ["blob:http://example.com/", "InvalidUrlError Scheme"]
  ] as const)("%s is refused without a look-up", ([url, reason]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* reasonOf(url), reason)
    })
  )
})

describe("an address that is too long", () => {
  it.effect("is refused as a whole, or for its host", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* reasonOf(`https://example.com/${"a".repeat(8192)}`), "InvalidUrlError TooLong")
      assert.strictEqual(yield* reasonOf(`https://${"a.".repeat(150)}com/`), "InvalidUrlError HostTooLong")
    })
  )
})

describe("limits of a host", () => {
  it.effect.each([
    [{ timeLimit: "121 seconds" }],
    [{ timeLimit: 0 }],
    [{ maxBytes: 20 * 1024 * 1024 + 1 }],
    [{ maxRedirects: 21 }],
    [{ ports: [0] }],
    [{ nat64: ["64:ff9b::/33"] }]
  ] as ReadonlyArray<[LocationFetch.Options]>)("beyond their ceilings are refused: %j", ([options]) =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(Effect.provide(LocationFetch.Service, LocationFetch.layer(options)))
      assert.strictEqual(exit._tag, "Failure")
    })
  )

  it.effect("up to their ceilings are taken", () =>
    Effect.asVoid(
      fetcherOf([], { timeLimit: "120 seconds", maxBytes: 20 * 1024 * 1024, maxRedirects: 20, nat64: ["64:ff9b::/96"] })
    )
  )
})

describe("where a fetch connects to", () => {
  it.effect("a public site is fetched, over the address that was found", () =>
    Effect.gen(function* () {
      const site = yield* serve((_, response) => void response.end("hello"))
      const web = yield* fetcherOf([site])
      const url = `http://public.test:${site.port}/a?b#c`
      const { address, status, text } = yield* contentOf(web, { url })
      assert.deepStrictEqual([address.url, status, text], [url.replace("#c", ""), 200, "hello"])
      assert.deepStrictEqual(site.hits, ["GET public.test/a?b"])
    })
  )

  it.effect("a literal address that is public is fetched without a look-up", () =>
    Effect.gen(function* () {
      const site = yield* serve((_, response) => void response.end("hello"))
      const web = yield* fetcherOf([site], { resolver: () => Effect.die("looked up") })
      const { text } = yield* contentOf(web, { url: `http://${publicAddress}:${site.port}/` })
      assert.strictEqual(text, "hello")
    })
  )

  it.effect.each([
    ["inside.test", "ForbiddenError"],
    ["mixed.test", "ForbiddenError"],
    ["broken.test", "ResolveError"],
    ["empty.test", "ResolveError"],
    ["unknown.test", "ResolveError"]
  ] as const)("%s is refused before anything is connected", ([host, tag]) =>
    Effect.gen(function* () {
      const sites = [yield* serve(() => {}), yield* serve(() => {}, { address: privateAddress })]
      const web = yield* fetcherOf(sites)
      for (const { port } of sites) {
        const error = yield* Effect.flip(contentOf(web, { url: `http://${host}:${port}/` }))
        assert.strictEqual(error._tag, `LocationFetch.${tag}`)
      }
      assert.deepStrictEqual(
        sites.map(({ connections }) => connections()),
        [0, 0]
      )
    })
  )

  it.effect("a name is looked up once for each request, so a second answer has nothing to win", () =>
    Effect.gen(function* () {
      const site = yield* serve((_, response) => void response.end("public"))
      const trap = yield* serve((_, response) => void response.end("private"), { address: privateAddress })
      let lookups = 0
      const resolver = () => Effect.sync(() => (lookups++ === 0 ? [publicAddress] : [privateAddress]))
      const web = yield* fetcherOf([site, trap], { resolver })
      assert.strictEqual((yield* contentOf(web, { url: `http://rebind.test:${site.port}/` })).text, "public")
      assert.strictEqual(lookups, 1)
      const error = yield* Effect.flip(contentOf(web, { url: `http://rebind.test:${trap.port}/` }))
      assert.strictEqual(error._tag, "LocationFetch.ForbiddenError")
      assert.strictEqual(trap.connections(), 0)
    })
  )

  it.effect("a connection that ends up elsewhere is closed before a byte is sent", () =>
    Effect.gen(function* () {
      const trap = yield* serve((_, response) => void response.end("private"), { address: privateAddress })
      // The system takes the unspecified address for this machine.
      const web = yield* fetcherOf([trap], {
        resolver: () => Effect.succeed(["0.0.0.0"]),
        admits: (address) => address === "0.0.0.0"
      })
      const error = yield* Effect.flip(contentOf(web, { url: `http://odd.test:${trap.port}/` }))
      assert.strictEqual(error._tag, "LocationFetch.ForbiddenError")
      assert.deepStrictEqual([trap.connections(), trap.hits], [1, []])
    })
  )

  it.effect("another of its addresses is taken if the first does not answer", () =>
    Effect.gen(function* () {
      const site = yield* serve((_, response) => void response.end("hello"))
      const web = yield* fetcherOf([site], {
        resolver: () => Effect.succeed(["127.66.0.99", publicAddress]),
        admits: (address) => address.startsWith("127.66.")
      })
      assert.strictEqual((yield* contentOf(web, { url: `http://both.test:${site.port}/` })).text, "hello")
    })
  )

  it.effect("a proxy of the environment is not used", () =>
    Effect.gen(function* () {
      const site = yield* serve((_, response) => void response.end("direct"))
      const proxy = yield* serve((_, response) => void response.end("proxied"), { address: privateAddress })
      const before = { ...process.env }
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          for (const name of ["http_proxy", "HTTP_PROXY", "ALL_PROXY"]) {
            process.env[name] = `http://${privateAddress}:${proxy.port}`
          }
        }),
        () => Effect.sync(() => (process.env = before))
      )
      const web = yield* fetcherOf([site])
      assert.strictEqual((yield* contentOf(web, { url: `http://public.test:${site.port}/` })).text, "direct")
      assert.strictEqual(proxy.connections(), 0)
    })
  )

  it.effect("over TLS a certificate is asked for, whatever the environment says", () =>
    Effect.gen(function* () {
      const site = yield* serve((_, response) => void response.end("safe"), { isSecure: true })
      const name = "NODE_TLS_REJECT_UNAUTHORIZED"
      const before = process.env[name]
      yield* Effect.acquireRelease(
        Effect.sync(() => (process.env[name] = "0")),
        () => Effect.sync(() => (before === undefined ? delete process.env[name] : (process.env[name] = before)))
      )
      const web = yield* fetcherOf([site], { certificates: [] })
      const error = yield* Effect.flip(contentOf(web, { url: `https://public.test:${site.port}/` }))
      assert.deepInclude(error, { _tag: "LocationFetch.ConnectionError", reason: "Certificate" })
      assert.deepStrictEqual(site.hits, [])
    })
  )

  it.effect("over TLS the certificate has to be that of the name", () =>
    Effect.gen(function* () {
      const site = yield* serve((_, response) => void response.end("safe"), { isSecure: true })
      const web = yield* fetcherOf([site], { resolver: () => Effect.succeed([publicAddress]) })
      assert.strictEqual((yield* contentOf(web, { url: `https://public.test:${site.port}/` })).text, "safe")
      const wrong = yield* Effect.flip(contentOf(web, { url: `https://strange.test:${site.port}/` }))
      assert.deepInclude(wrong, { _tag: "LocationFetch.ConnectionError", reason: "Certificate" })
      const strict = yield* fetcherOf([site], { certificates: [] })
      const untrusted = yield* Effect.flip(contentOf(strict, { url: `https://public.test:${site.port}/` }))
      assert.deepInclude(untrusted, { _tag: "LocationFetch.ConnectionError", reason: "Certificate" })
    })
  )
})

/** A site whose paths redirect as the table says; every other path answers with itself. */
const serveRedirects = (table: Readonly<Record<string, string>>, options?: { readonly isSecure?: boolean }) =>
  serve((request, response) => {
    const location = table[request.url ?? ""]
    if (location === undefined) return void response.end(`at ${request.url}`)
    return void response.writeHead(302, { location }).end("moved")
  }, options)

describe("redirects", () => {
  it.effect("within a host are followed, each looked at from the beginning", () =>
    Effect.gen(function* () {
      const site = yield* serveRedirects({ "/a": "/b", "/b": "c?d" })
      let lookups = 0
      const resolver = () => Effect.sync(() => [(lookups++, publicAddress)])
      const web = yield* fetcherOf([site], { resolver })
      const { address, text } = yield* contentOf(web, { url: `http://public.test:${site.port}/a` })
      assert.deepStrictEqual([address.path, text, lookups], ["/c", "at /c?d", 3])
    })
  )

  it.effect("to another host are told and not followed, unless that is wanted", () =>
    Effect.gen(function* () {
      const site = yield* serve((request, response) =>
        request.url === "/a"
          ? void response.writeHead(301, { location: `http://other.test:${site.port}/b` }).end()
          : void response.end(request.url)
      )
      const web = yield* fetcherOf([site])
      const url = `http://public.test:${site.port}/a`
      const answer = yield* Effect.scoped(web.fetch({ url }))
      assert(answer._tag === "Redirect")
      assert.deepStrictEqual([answer.status, answer.to.url], [301, `http://other.test:${site.port}/b`])
      assert.deepStrictEqual(site.hits, ["GET public.test/a"])
      assert.strictEqual((yield* contentOf(web, { url, redirects: "all" })).text, "/b")
      assert.deepStrictEqual(site.hits.slice(1), ["GET public.test/a", "GET other.test/b"])
    })
  )

  it.effect("keep what the caller sent at its origin, and lose it elsewhere", () =>
    Effect.gen(function* () {
      const site = yield* serve((request, response) => {
        const next = { "/1": "/2", "/2": `http://other.test:${site.port}/3` }[request.url ?? ""]
        return next === undefined ? void response.end("done") : void response.writeHead(302, { location: next }).end()
      })
      const web = yield* fetcherOf([site])
      const headers = {
        Authorization: Redacted.make("Bearer canary-secret"),
        cookie: "canary=1",
        "x-api-key": Redacted.make("canary-key"),
        "accept-language": "de"
      }
      yield* contentOf(web, { url: `http://public.test:${site.port}/1`, headers, redirects: "all" })
      assert.deepStrictEqual(
        site.requests.map(({ headers }) => [
          headers.authorization,
          headers.cookie,
          headers["x-api-key"],
          headers["accept-language"]
        ]),
        [
          ["Bearer canary-secret", "canary=1", "canary-key", "de"],
          ["Bearer canary-secret", "canary=1", "canary-key", "de"],
          [undefined, undefined, undefined, "de"]
        ]
      )
    })
  )

  it.effect.each([
    ["/literal", "LocationFetch.ForbiddenError"],
    ["/inside", "LocationFetch.ForbiddenError"],
    ["/port", "LocationFetch.ForbiddenError"],
    ["/file", "LocationFetch.RedirectError"],
    ["/credentials", "LocationFetch.RedirectError"],
    ["/loop", "LocationFetch.RedirectError"]
  ] as const)("to %s are refused", ([path, tag]) =>
    Effect.gen(function* () {
      const trap = yield* serve((_, response) => void response.end("private"), { address: privateAddress })
      const site = yield* serveRedirects({
        "/literal": `http://${privateAddress}:${trap.port}/`,
        "/inside": `http://inside.test:${trap.port}/`,
        "/port": "http://public.test:22/",
        "/file": "file:///etc/passwd",
        "/credentials": "http://a:b@public.test/",
        "/loop": "/loop"
      })
      const web = yield* fetcherOf([site, trap])
      const url = `http://public.test:${site.port}${path}`
      const error = yield* Effect.flip(contentOf(web, { url, redirects: "all" }))
      assert.strictEqual(error._tag, tag)
      assert.strictEqual(trap.connections(), 0)
      assert.strictEqual(site.hits.length, path === "/loop" ? 6 : 1)
    })
  )

  it.effect("from https to http are refused, and the other way round a host is followed", () =>
    Effect.gen(function* () {
      const plain = yield* serve((_, response) => void response.end("plain"))
      const site = yield* serveRedirects({ "/a": `http://public.test:${plain.port}/` }, { isSecure: true })
      const web = yield* fetcherOf([site, plain])
      const url = `https://public.test:${site.port}/a`
      const error = yield* Effect.flip(contentOf(web, { url, redirects: "all" }))
      assert.deepInclude(error, { _tag: "LocationFetch.RedirectError", reason: "Downgrade" })
      assert.strictEqual(plain.connections(), 0)
      const upwards = yield* serveRedirects({ "/a": `https://public.test:${site.port}/b` })
      const both = yield* fetcherOf([site, upwards])
      const up = { url: `http://public.test:${upwards.port}/a`, redirects: "all" } as const
      assert.strictEqual((yield* contentOf(both, up)).text, "at /b")
    })
  )

  it.effect("whose own content never ends are followed at once", () =>
    Effect.gen(function* () {
      const site = yield* serve((request, response) => {
        if (request.url !== "/a") return void response.end("arrived")
        response.writeHead(302, { location: "/b" })
        return pour(response, Buffer.alloc(65_536, "x"))
      })
      const web = yield* fetcherOf([site])
      assert.strictEqual((yield* contentOf(web, { url: `http://public.test:${site.port}/a` })).text, "arrived")
      yield* eventually(() => site.open() === 0)
    })
  )

  it.effect("leave no connection behind", () =>
    Effect.gen(function* () {
      const site = yield* serveRedirects({ "/a": "/b", "/b": "/c" })
      const web = yield* fetcherOf([site])
      const fetchOnce = contentOf(web, { url: `http://public.test:${site.port}/a` })
      yield* Effect.forEach([1, 2, 3], () => fetchOnce, { concurrency: 3 })
      assert.strictEqual(site.connections(), 9)
      yield* eventually(() => site.open() === 0)
    })
  )
})

const mebibyte = 1024 * 1024

/** How a body ended, and how much of it came. */
const drained = Effect.fnUntraced(function* (web: LocationFetch.Interface, url: string) {
  const answer = yield* web.fetch({ url })
  assert(answer._tag === "Content")
  let bytes = 0
  const counted = Stream.runForEach(answer.body, (chunk) => Effect.sync(() => (bytes += chunk.length)))
  const error = yield* Effect.flip(counted)
  return { bytes, error }
}, Effect.scoped)

describe("bodies", () => {
  it.effect.each([
    ["gzip", Zlib.gzipSync("packed")],
    ["x-gzip", Zlib.gzipSync("packed")],
    ["br", Zlib.brotliCompressSync("packed")],
    ["identity", Buffer.from("packed")]
  ] as const)("packed with %s are unpacked", ([coding, body]) =>
    Effect.gen(function* () {
      const site = yield* serve((_, response) => void response.setHeader("content-encoding", coding).end(body))
      const web = yield* fetcherOf([site])
      assert.strictEqual((yield* contentOf(web, { url: `http://public.test:${site.port}/` })).text, "packed")
      assert.strictEqual(site.requests[0]?.headers["accept-encoding"], "gzip, br")
    })
  )

  it.effect.each([
    ["deflate", Zlib.deflateSync("packed"), "Unsupported"],
    ["zstd", Zlib.zstdCompressSync("packed"), "Unsupported"],
    ["gzip, gzip, gzip", Zlib.gzipSync(Zlib.gzipSync(Zlib.gzipSync("packed"))), "Unsupported"],
    ["gzip", Buffer.from("packed"), "Broken"],
    ["gzip", Zlib.gzipSync("packed".repeat(1000)).subarray(0, 40), "Broken"],
    ["br", Buffer.from("packed, but not like this"), "Broken"],
    ["gzip", Zlib.gzipSync(Buffer.alloc(8 * mebibyte)), "Ratio"]
  ] as const)("packed with %s are refused if they are not as they should be", ([coding, body, reason]) =>
    Effect.gen(function* () {
      const site = yield* serve((_, response) => void response.setHeader("content-encoding", coding).end(body))
      const web = yield* fetcherOf([site])
      const error = yield* Effect.flip(contentOf(web, { url: `http://public.test:${site.port}/` }))
      assert.deepInclude(error, { _tag: "LocationFetch.EncodingError", reason })
    })
  )

  it.effect("end at the limit, after everything that is within it", () =>
    Effect.gen(function* () {
      const site = yield* serve((request, response) => void response.end("x".repeat(Number(request.url?.slice(1)))))
      const web = yield* fetcherOf([site], { maxBytes: 100_000 })
      const at = (bytes: number) => `http://public.test:${site.port}/${bytes}`
      assert.strictEqual((yield* contentOf(web, { url: at(100_000) })).text.length, 100_000)
      const { bytes, error } = yield* drained(web, at(100_001))
      assert.deepStrictEqual([bytes, error._tag], [100_000, "LocationFetch.TooLargeError"])
    })
  )

  it.effect("without an end cost what the limit allows, and the server hears that it is enough", () =>
    Effect.gen(function* () {
      const gone = yield* Deferred.make<void>()
      const site = yield* serve((_, response) => {
        const chunk = Buffer.alloc(64 * 1024, "x")
        const more = () => {
          while (response.write(chunk));
        }
        response.on("drain", more).on("close", () => Deferred.doneUnsafe(gone, Effect.void))
        more()
      })
      const web = yield* fetcherOf([site], { maxBytes: mebibyte })
      const { bytes, error } = yield* drained(web, `http://public.test:${site.port}/`)
      assert.deepStrictEqual([bytes, error._tag], [mebibyte, "LocationFetch.TooLargeError"])
      yield* Deferred.await(gone)
    })
  )

  it.effect("of a bomb are given up long before they are unpacked", () =>
    Effect.gen(function* () {
      const bomb = Zlib.gzipSync(Buffer.alloc(200 * mebibyte))
      const site = yield* serve((_, response) => void response.setHeader("content-encoding", "gzip").end(bomb))
      const web = yield* fetcherOf([site], { maxBytes: 20 * mebibyte })
      const { bytes, error } = yield* drained(web, `http://public.test:${site.port}/`)
      assert.deepInclude(error, { _tag: "LocationFetch.EncodingError", reason: "Ratio" })
      assert.isAtMost(bytes, 2 * mebibyte)
    })
  )

  it.effect("that trickle end with the time of the whole fetch", () =>
    Effect.gen(function* () {
      const trickled = yield* Deferred.make<void>()
      const gone = yield* Deferred.make<void>()
      const site = yield* serve((_, response) => {
        let count = 0
        const drip = () => {
          response.write("x")
          if (++count === 3) Deferred.doneUnsafe(trickled, Effect.void)
          else if (count < 3) setImmediate(drip)
        }
        drip()
        response.on("close", () => Deferred.doneUnsafe(gone, Effect.void))
      })
      const web = yield* fetcherOf([site])
      const arrived = yield* Deferred.make<void>()
      let bytes = 0
      const reading = Effect.gen(function* () {
        const answer = yield* web.fetch({ url: `http://public.test:${site.port}/` })
        assert(answer._tag === "Content")
        return yield* Effect.flip(
          Stream.runForEach(answer.body, (chunk) =>
            Effect.suspend(() => {
              bytes += chunk.length
              return bytes === 3 ? Deferred.succeed(arrived, undefined) : Effect.void
            })
          )
        )
      })
      const fiber = yield* Effect.forkChild(Effect.scoped(reading))
      yield* Deferred.await(trickled)
      yield* Deferred.await(arrived)
      yield* TestClock.adjust("29 seconds")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 second")
      const error = yield* Fiber.join(fiber)
      assert.deepInclude(error, { _tag: "LocationFetch.TimedOutError", limitMs: 30_000 })
      yield* Deferred.await(gone)
    })
  )

  it.effect("that end too early, or never begin, are told apart from complete ones", () =>
    Effect.gen(function* () {
      const site = yield* serve((_, response) => {
        response.writeHead(200, { "content-length": 1000 })
        response.write("short", () => response.destroy())
      })
      const web = yield* fetcherOf([site])
      const { bytes, error } = yield* drained(web, `http://public.test:${site.port}/`)
      assert.strictEqual(bytes, 5)
      assert.deepInclude(error, { _tag: "LocationFetch.ConnectionError", reason: "Reset" })
    })
  )
})

/** Writes one thing over and over, for as long as anybody listens. */
const pour = (socket: Writable, bytes: Uint8Array): void => {
  const more = () => {
    while (socket.writable && socket.write(bytes));
  }
  socket.on("error", () => undefined).on("drain", more)
  more()
}

const gzipHead = (flags: number) => Buffer.from([0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 3])

const packedHead = "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n"
const chunkedHead = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"

describe("servers that send much and answer nothing", () => {
  // The clock of the test stands still, so nothing but the count can end these.
  it.effect.each([
    ["answers that announce another", "", Buffer.from("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(1000)), "Flood"],
    ["remarks about a chunk", `${chunkedHead}1;`, Buffer.alloc(65_536, "x"), "Flood"],
    ["headers after the content", `${chunkedHead}1\r\nx\r\n0\r\n`, Buffer.from("a: b\r\n".repeat(1000)), "Headers"],
    ["a packed file's name", [packedHead, gzipHead(8)], Buffer.alloc(65_536, "x"), "Flood"],
    ["packed blocks of nothing", [packedHead, gzipHead(0)], Buffer.from("000000ffff".repeat(10_000), "hex"), "Flood"]
  ] as const)("%s, are left", ([, begin, endless, reason]) =>
    Effect.gen(function* () {
      const site = yield* serve(({ socket }) => {
        for (const part of [begin].flat()) socket.write(part)
        pour(socket, endless)
      })
      const web = yield* fetcherOf([site])
      const error = yield* Effect.flip(contentOf(web, { url: `http://public.test:${site.port}/` }))
      assert.deepInclude(error, { _tag: "LocationFetch.ConnectionError", reason })
      yield* eventually(() => site.open() === 0)
    })
  )

  it.effect("are told apart from those whose content is long, in chunks as small as they come", () =>
    Effect.gen(function* () {
      const body = "x".repeat(200_000)
      const site = yield* serve(({ socket }) => {
        socket.end(`${chunkedHead}${body.replaceAll("x", "1\r\nx\r\n")}0\r\n\r\n`)
      })
      const web = yield* fetcherOf([site], { maxBytes: body.length })
      assert.strictEqual((yield* contentOf(web, { url: `http://public.test:${site.port}/` })).text, body)
    })
  )
})

describe("servers that do not answer", () => {
  it.effect("end with the time", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const gone = yield* Deferred.make<void>()
      const site = yield* serve((request) => {
        Deferred.doneUnsafe(asked, Effect.void)
        request.socket.on("close", () => Deferred.doneUnsafe(gone, Effect.void))
      })
      const web = yield* fetcherOf([site], { timeLimit: "10 seconds" })
      const fiber = yield* Effect.forkChild(Effect.flip(contentOf(web, { url: `http://public.test:${site.port}/` })))
      yield* Deferred.await(asked)
      yield* TestClock.adjust("10 seconds")
      assert.deepInclude(yield* Fiber.join(fiber), { _tag: "LocationFetch.TimedOutError", limitMs: 10_000 })
      yield* Deferred.await(gone)
    })
  )

  it.effect("end with their call when it is interrupted", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const gone = yield* Deferred.make<void>()
      const site = yield* serve((request) => {
        Deferred.doneUnsafe(asked, Effect.void)
        request.socket.on("close", () => Deferred.doneUnsafe(gone, Effect.void))
      })
      const web = yield* fetcherOf([site])
      const fiber = yield* Effect.forkChild(contentOf(web, { url: `http://public.test:${site.port}/` }))
      yield* Deferred.await(asked)
      yield* Fiber.interrupt(fiber)
      yield* Deferred.await(gone)
    })
  )

  it.effect("or answer something else are failures of the connection", () =>
    Effect.gen(function* () {
      const site = yield* serve((request, response) => {
        if (request.url === "/headers") return void response.setHeader("x-huge", "x".repeat(1_000_000)).end()
        if (request.url === "/other") return void request.socket.end("SSH-2.0-OpenSSH_9\r\n")
        return void request.socket.destroy()
      })
      const web = yield* fetcherOf([site, { ...site, port: 9 }])
      const reasonAt = (url: string) =>
        Effect.map(Effect.flip(contentOf(web, { url })), (error) =>
          error._tag === "LocationFetch.ConnectionError" ? error.reason : error._tag
        )
      const base = `http://public.test:${site.port}`
      assert.deepStrictEqual(
        yield* Effect.forEach([`${base}/headers`, `${base}/other`, `${base}/reset`, "http://public.test:9/"], reasonAt),
        ["Headers", "Protocol", "Reset", "Refused"]
      )
    })
  )
})

describe("what an error tells", () => {
  it.effect("is nothing that was sent along", () =>
    Effect.gen(function* () {
      const site = yield* serve((_, response) => void response.end())
      const web = yield* fetcherOf([site])
      const request = {
        url: `http://public.test:${site.port}/`,
        headers: { authorization: Redacted.make("Bearer canary\nsecret") }
      }
      const error = yield* Effect.flip(contentOf(web, request))
      assert.strictEqual(error._tag, "LocationFetch.ConnectionError")
      assert.notInclude(`${JSON.stringify(error)} ${error.message} ${error.stack} ${String(error.cause)}`, "canary")
      assert.strictEqual(site.connections(), 0)
    })
  )
})
