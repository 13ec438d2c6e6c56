/**
 * Text of models, tools and files as a person who decides has to see it: nothing invisible, nothing that changes what
 * stands beside it, nothing cut without a count, and nothing that could pass for ours.
 */
import type * as Schema from "effect/Schema"
import type { Pending } from "./Approvals.ts"
import { section } from "./internal/frame.ts"
import { asLine, onOneLine } from "./internal/visible.ts"

/** On one line: a line feed becomes `\n`, and every other character that could deceive becomes `\u{…}`. */
export const visible = (text: string): string => onOneLine(text)

/** The whole question, for a terminal or a log. The raw request is in the `Pending` itself. */
export const prompt = ({ context, isWaiting, protectedPaths, request, tool }: Pending): string =>
  [
    ...section("A tool asks for permission.", [visible(tool ?? "(a tool that did not say its name)")]),
    ...section("Asked by", [`agent ${visible(context.agent)} in session ${visible(context.sessionID)}`]),
    ...section("Action", [visible(request.action)]),
    ...section("Resources", request.resources.flatMap(resourceLines)),
    ...section("Protected: no broad rule opens these", protectedPaths.map(visible)),
    ...section("Details", Object.entries(request.metadata).flatMap(detailLines)),
    ...section('"Always" allows the action for', request.save.map(visible)),
    ...(isWaiting ? [] : ["The process that asked is gone. An answer is used if the same call is made again."])
  ].join("\n")

/** What an address means to the network stands below it where it reads otherwise. */
const resourceLines = (resource: string): ReadonlyArray<string> => {
  const address = /^https?:/i.test(resource) ? URL.parse(resource)?.href : undefined
  const isTheSame = address === undefined || address === resource || address === `${resource}/`
  return isTheSame ? [visible(resource)] : [visible(resource), indented(`goes to ${visible(address)}`)]
}

const detailLines = ([key, value]: readonly [string, Schema.Json]): ReadonlyArray<string> => {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2)
  return [`${visible(key)}:`, ...text.split("\n").map((line) => indented(asLine(line)))]
}

/** So that no value can pass for a key. */
const indented = (line: string): string => `  ${line}`
