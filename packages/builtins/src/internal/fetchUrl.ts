/** Reads the address of a call as the network will: what it says to a person may be something else. */
import * as Result from "effect/Result"
import { isIP } from "node:net"
import { domainToUnicode } from "node:url"
import { ForbiddenError, InvalidUrlError } from "./fetchErrors.ts"
import { type Limits, maxHostLength, maxUrlBytes } from "./fetchLimits.ts"

/** An address of the web, in the one form that is used, shown and compared. */
export interface Address {
  /** Without a fragment, which is never sent. */
  readonly url: string
  readonly origin: string
  /** In ASCII, without brackets and without a dot at the end. */
  readonly host: string
  /** How browsers show the host, if that is different. */
  readonly unicodeHost: string | undefined
  readonly path: string
  readonly port: number
  readonly isSecure: boolean
  readonly isLiteral: boolean
}

/** Relative to `base`, if there is one. Whether the host's address is allowed is not known yet, unless it stands there. */
export const addressOf = (
  text: string,
  limits: Limits,
  base?: Address
): Result.Result<Address, InvalidUrlError | ForbiddenError> => {
  if (Buffer.byteLength(text) > maxUrlBytes) return invalid("TooLong")
  if (!text.isWellFormed()) return invalid("NotUrl")
  const url = URL.parse(text, base?.url)
  if (url === null) return invalid("NotUrl")
  if (url.protocol !== "http:" && url.protocol !== "https:") return invalid("Scheme")
  if (url.username !== "" || url.password !== "") return invalid("Credentials")
  return checked(normalized(url), limits)
}

/** A dot at the end of a host means the same host, and would be another one to every comparison. */
const normalized = (url: URL): URL => {
  url.hash = ""
  if (url.hostname.endsWith(".")) url.hostname = url.hostname.slice(0, -1)
  if (url.pathname.includes("%")) url.pathname = url.pathname.replaceAll(/%[\da-f]{2}/gi, plain)
  return url
}

/** A letter may be written as its number, and is the same letter to every server; a rule would not know it (RFC 3986, 6.2.2). */
const plain = (code: string): string => {
  const character = String.fromCharCode(Number.parseInt(code.slice(1), 16))
  return /[\w.~-]/.test(character) ? character : code.toUpperCase()
}

const checked = (url: URL, limits: Limits): Result.Result<Address, InvalidUrlError | ForbiddenError> => {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1")
  if (host === "" || host.endsWith(".")) return invalid("NotUrl")
  if (host.length > maxHostLength) return invalid("HostTooLong")
  if (/(?:^|\.)localhost$/.test(host)) return Result.fail(new ForbiddenError({ host, reason: "LocalName" }))
  const address = describe(url, host)
  if (!limits.ports.has(address.port)) return Result.fail(new ForbiddenError({ host, reason: "Port" }))
  return Result.succeed(address)
}

const describe = (url: URL, host: string): Address => {
  const isSecure = url.protocol === "https:"
  const unicode = domainToUnicode(host)
  return {
    url: url.href,
    origin: url.origin,
    host,
    unicodeHost: unicode === "" || unicode === host ? undefined : unicode,
    path: url.pathname,
    port: url.port === "" ? (isSecure ? 443 : 80) : Number(url.port),
    isSecure,
    isLiteral: isIP(host) !== 0
  }
}

const invalid = (reason: InvalidUrlError["reason"]) => Result.fail(new InvalidUrlError({ reason }))
