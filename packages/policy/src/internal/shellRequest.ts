/** Turns a request about a command into one about its parts. */
import * as Permission from "@haft/core/Permission"
import * as Effect from "effect/Effect"
import * as ShellCommand from "../ShellCommand.ts"
import { isShell, unisolated } from "./shellActions.ts"
import * as Resource from "./shellResource.ts"
import * as Sentences from "./shellSentences.ts"

/** Other requests stay as they are. What `always` saves is decided here, whatever the tool wants saved. */
export const expanded = (request: Permission.Request): Effect.Effect<Permission.Request> =>
  isShell(request.action)
    ? Effect.map(ShellCommand.parse(commandOf(request)), (read) => withParts(request, read))
    : Effect.succeed(request)

const commandOf = ({ resources }: Permission.Request): string => resources.join("\n")

const withParts = (request: Permission.Request, read: ShellCommand.ShellCommand): Permission.Request => {
  const command = commandOf(request)
  const isolation = request.action === unisolated ? { isolation: Sentences.notIsolated } : {}
  if (read._tag === "Unparsed") {
    const metadata = { ...request.metadata, command, ...isolation, parts: Sentences.unparsed(read.reason) }
    return { ...request, resources: [Resource.unparsed(command)], save: [], metadata }
  }
  const resources = read.parts.map(({ text }) => text)
  const canSave = request.action !== unisolated && read.parts.every(({ isLiteral }) => isLiteral)
  return {
    ...request,
    resources,
    save: canSave ? resources.map(Permission.literal) : [],
    metadata: { ...request.metadata, command, ...isolation }
  }
}
