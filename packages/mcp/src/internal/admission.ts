/** Whether a request over HTTP is let in, decided by its headers alone. */
import type * as Headers from "effect/http/Headers"
import * as Redacted from "effect/Redacted"
import { createHash, timingSafeEqual } from "node:crypto"
import * as Sentences from "./sentences.ts"

export interface Admission {
  readonly tokens: ReadonlyArray<{ readonly name: string; readonly token: Redacted.Redacted }> | "none"
  readonly hosts: ReadonlyArray<string>
  readonly origins: ReadonlyArray<string>
}

export type Admitted =
  | { readonly _tag: "Admitted"; readonly principal: string }
  | { readonly _tag: "Refused"; readonly status: 401 | 403 | 413 | 421; readonly message: string }

/** From the outside in: which server is meant, who asks for it, who that is, and how much they send. */
export const admit = (admission: Admission, headers: Headers.Headers, maxBytes: number): Admitted => {
  if (!isOurHost(admission, headers["host"])) return refused(421, Sentences.badHost)
  if (!isOurPage(admission, headers)) return refused(403, Sentences.badOrigin)
  const principal = principalOf(admission, headers["authorization"])
  if (principal === undefined) return refused(401, Sentences.badToken)
  if (Number(headers["content-length"] ?? 0) > maxBytes) return refused(413, Sentences.bodyTooLarge(maxBytes))
  return { _tag: "Admitted", principal }
}

const refused = (status: 401 | 403 | 413 | 421, message: string): Admitted => ({ _tag: "Refused", status, message })

const loopback: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"])

/** A page can make its own name lead to this machine, but it cannot send another name than its own. */
const isOurHost = ({ hosts }: Admission, host = ""): boolean =>
  hosts.includes(host) || loopback.has(host.replace(/:\d+$/, ""))

/** Programs send no origin. A page that this server's own name brought is no stranger, if the name is one of loopback. */
const isOurPage = ({ origins }: Admission, { host = "", origin }: Headers.Headers): boolean => {
  if (origin === undefined || origins.includes(origin)) return true
  return loopback.has(host.replace(/:\d+$/, "")) && origin === `http://${host}`
}

const nobody = "anyone"

/** What fits into the header. */
const tokenForm = /^[!-~]{1,4096}$/

/** A token that nobody could send is a mistake of the host's. */
export const checked = (tokens: Admission["tokens"]): Admission["tokens"] => {
  const bad = tokens === "none" ? undefined : tokens.find(({ token }) => !tokenForm.test(Redacted.value(token)))
  if (bad === undefined) return tokens
  throw new RangeError(`the token of ${bad.name} must have 1 to 4096 visible ASCII characters and no space`)
}

const principalOf = ({ tokens }: Admission, authorization = ""): string | undefined => {
  if (tokens === "none") return nobody
  const [, sent = ""] = /^Bearer (.+)$/i.exec(authorization) ?? []
  return tokens.find(({ token }) => isSame(Redacted.value(token), sent))?.name
}

/** Takes the same time whatever is different. */
const isSame = (expected: string, sent: string): boolean => timingSafeEqual(digestOf(expected), digestOf(sent))

const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest()
