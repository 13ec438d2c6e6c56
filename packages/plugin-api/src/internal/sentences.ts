/** Why a plugin cannot be installed, in words for its author. */
import type * as Tool from "@haft/core/Tool"
import { PluginFailure } from "../PluginFailure.ts"

export const notAPlugin = (): PluginFailure =>
  new PluginFailure({
    reason: "NotAPlugin",
    message:
      "The value is not a plugin. Use what Plugin.make or PromisePlugin.make returned, as the default export of a file."
  })

export const foreignPlugin = (): PluginFailure =>
  new PluginFailure({
    reason: "ForeignPlugin",
    message:
      "The plugin was made by another copy of @haft/plugin-api, whose tools this process cannot run. " +
      "Let plugin and host use one copy: declare it as a peer dependency of the plugin."
  })

export const invalidOptions = (detail: string): PluginFailure =>
  new PluginFailure({
    reason: "InvalidOptions",
    message: `The plugin was made from options that are not valid: ${detail}.`
  })

export const notGranted = (id: string, names: ReadonlyArray<string>): PluginFailure =>
  new PluginFailure({
    reason: "NotGranted",
    message: `The plugin ${id} asks for ${names.join(", ")}, which the host does not grant it. Grant it, or do without it.`
  })

export const badRegistration = (id: string, { message, name }: Tool.RegistrationError): PluginFailure =>
  new PluginFailure({
    reason: "BadRegistration",
    message: `The plugin ${id} registers the tool ${JSON.stringify(name)} wrongly: ${message}`
  })

export const failed = (id: string, error: unknown): PluginFailure =>
  new PluginFailure({ reason: "Failed", message: `Installing the plugin ${id} failed: ${messageOf(error)}` })

/** Of whatever was thrown. Cut, because an author can throw anything. */
export const messageOf = (error: unknown): string => {
  const message = error instanceof Error && error.message !== "" ? error.message : shown(error)
  return message.length > maxMessageLength ? `${message.slice(0, maxMessageLength).toWellFormed()}…` : message
}

/** More than people read of a message, and less than fills a screen. */
const maxMessageLength = 1_000

const shown = (value: unknown): string => {
  try {
    return typeof value === "string" ? value : (JSON.stringify(value) ?? String(value))
  } catch {
    return "something that cannot be shown"
  }
}
