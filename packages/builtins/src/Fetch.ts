/**
 * The tool that reads from the public web. Register it as `fetch`. Pages come as Markdown, text or HTML, other text as it
 * is; what is no text, is no success or leads into a private network is a failure that says so.
 */
import * as Permission from "@haft/core/Permission"
import * as Progress from "@haft/core/Progress"
import * as Tool from "@haft/core/Tool"
import * as ToolContent from "@haft/core/ToolContent"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { isHtml } from "./internal/contentType.ts"
import { failures } from "./internal/fetchFailures.ts"
import * as Sentences from "./internal/fetchSentences.ts"
import * as HtmlConversion from "./internal/htmlConversion.ts"
import { maxConversions } from "./internal/htmlLimits.ts"
import { type Convert, readWebPage } from "./internal/webPage.ts"
import * as LocationFetch from "./LocationFetch.ts"

const fields = Sentences.fetchFields
const Format = Schema.Literals(["markdown", "text", "html"])

/** What a model sends. */
export const Input = Schema.Struct({
  url: Schema.String.annotate({ description: fields.url, examples: ["https://example.com/docs"] }),
  format: Schema.optionalKey(Format.annotate({ description: fields.format, default: "markdown" }))
})

const Page = Schema.Struct({
  kind: Schema.Literal("page"),
  /** After redirects. */
  url: Schema.String,
  status: Schema.Int,
  contentType: Schema.String,
  charset: Schema.String,
  title: Schema.optionalKey(Schema.String),
  /** What `text` is: not what was asked for if the page is no HTML, or too large for Markdown. */
  format: Format,
  text: Schema.String,
  /** Of the unpacked content. */
  bytes: Schema.Int,
  /** Whether there is more than what is fetched of one address. */
  isCut: Schema.Boolean
})

/** Another host has what was asked for. It is not fetched by this call, because nobody allowed it to. */
const Redirect = Schema.Struct({
  kind: Schema.Literal("redirect"),
  url: Schema.String,
  status: Schema.Int,
  to: Schema.String
})

/** One of two, told apart by `kind`. */
export const Output = Schema.Union([Page, Redirect])

/** The tool, for what a Location may fetch. */
export const make: Effect.Effect<
  Tool.Tool<typeof Input, typeof Output>,
  never,
  LocationFetch.Service | Permission.Service
> = Effect.gen(function* () {
  const web = yield* LocationFetch.Service
  const permission = yield* Permission.Service
  const conversions = yield* Semaphore.make(maxConversions)
  const convert: Convert = (job) => conversions.withPermit(HtmlConversion.convert(job))
  const tool = Tool.make({
    description: Sentences.fetchDescription,
    input: Input,
    output: Output,
    execute: Effect.fn("Fetch.execute")(
      function* ({ format = "markdown", url }, context) {
        const address = yield* web.locate(url)
        yield* permission.assert(requestFor(address), context)
        const progress = yield* Progress.Service
        yield* progress.report({ message: Sentences.connecting(address.host) })
        const answer = yield* web.fetch({ url: address.url })
        const { status } = answer
        if (answer._tag === "Redirect") {
          return { kind: "redirect" as const, url: answer.address.url, status, to: answer.to.url }
        }
        return {
          kind: "page" as const,
          url: answer.address.url,
          status,
          ...(yield* readWebPage(answer, format, convert))
        }
      },
      Effect.scoped,
      Effect.catchTags(failures)
    ),
    toModelOutput: ({ input, output }) => [ToolContent.text(shown(input.format ?? "markdown", output))]
  })
  return Tool.annotate(tool, {
    title: "Fetch",
    determinism: "pure",
    operations: ["read"],
    capabilities: ["network.read"],
    risk: "medium",
    version: "1.0.0"
  })
})

/** Names the address as the network reads it, and how a browser would show the host if that is something else. */
const requestFor = ({ host, origin, path, unicodeHost, url }: LocationFetch.Address): Permission.Request => ({
  action: "fetch",
  resources: [origin + path],
  save: [`${Permission.literal(origin)}/*`],
  metadata: { url, host, ...(unicodeHost === undefined ? {} : { unicodeHost }) }
})

const shown = (wanted: typeof Format.Type, output: typeof Output.Encoded): string =>
  output.kind === "redirect"
    ? Sentences.redirected(output.url, output.to)
    : Sentences.page({ ...output, isFallback: isHtml(output.contentType) && output.format !== wanted })
