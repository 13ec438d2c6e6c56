/**
 * Text of models, tools and files as a person who decides has to see it: nothing invisible, nothing that changes what
 * stands beside it, nothing cut without a count, and nothing that could pass for ours.
 */
import { asLine, onOneLine } from "@haft/core/VisibleText"
import type * as Schema from "effect/Schema"
import type { Pending } from "./Approvals.ts"
import * as Frame from "./internal/frame.ts"
import * as Sentences from "./internal/sentences.ts"

/** On one line: a line feed becomes `\n`, and every other character that could deceive becomes `\u{…}`. */
export const visible = (text: string): string => onOneLine(text)

/** The whole question, for a terminal or a log. The raw request is in the `Pending` itself. */
export const prompt = ({ context, input = {}, isWaiting, protectedPaths, request, tool }: Pending): string =>
  [
    ...Frame.section("A tool asks for permission.", [visible(tool ?? "(a tool that did not say its name)")]),
    ...Frame.section("Asked by", [`agent ${visible(context.agent)} in session ${visible(context.sessionID)}`]),
    ...Frame.section("Action", [visible(request.action)]),
    ...Frame.section("Resources", request.resources.flatMap(resourceLines)),
    ...Frame.section("Protected: no broad rule opens these", protectedPaths.map(visible)),
    ...Frame.section("Arguments", Object.entries(input).flatMap(detailLines)),
    ...Frame.section("Details", Object.entries(request.metadata).flatMap(detailLines)),
    ...Frame.section('"Always" allows the action for', request.save.map(visible)),
    ...(isWaiting ? [] : [Sentences.askedElsewhere])
  ].join("\n")

/** Lines from elsewhere below a heading of ours, as `prompt` shows them. */
export const section = (heading: string, lines: ReadonlyArray<string>): string =>
  Frame.section(heading, lines.map(asLine)).join("\n")

/** What an address means to the network stands below it where it reads otherwise. */
const resourceLines = (resource: string): ReadonlyArray<string> => {
  const address = /^https?:/i.test(resource) ? URL.parse(resource)?.href : undefined
  const isTheSame = address === undefined || address === resource || address === `${resource}/`
  return isTheSame ? [visible(resource)] : [visible(resource), indented(`goes to ${visible(address)}`)]
}

const detailLines = ([key, value]: readonly [string, Schema.Json]): ReadonlyArray<string> => {
  if (typeof value === "string") return lines(visible(key), value)
  const text = JSON.stringify(value, null, 2)
  return text.includes(lineFeedInJson) ? partLines(visible(key), value) : lines(visible(key), text)
}

const lineFeedInJson = String.raw`\n`

/** Text of several lines is shown in lines, also where it stands inside of something. */
const partLines = (key: string, value: Schema.Json): ReadonlyArray<string> => {
  const parts = typeof value === "object" && value !== null ? partsOf(value) : []
  if (parts.length > 0) return parts.flatMap(([part, inner]) => partLines(key + part, inner))
  return lines(key, typeof value === "string" ? value : JSON.stringify(value))
}

const lines = (key: string, text: string): ReadonlyArray<string> => [
  `${key}:`,
  ...text.split("\n").map((line) => indented(asLine(line)))
]

const partsOf = (value: Schema.JsonObject | Schema.JsonArray): ReadonlyArray<readonly [string, Schema.Json]> =>
  Array.isArray(value)
    ? value.map((item, index) => [`[${index}]`, item])
    : Object.entries(value).map(([name, item]) => [`.${visible(name)}`, item])

/** So that no value can pass for a key. */
const indented = (line: string): string => `  ${line}`
