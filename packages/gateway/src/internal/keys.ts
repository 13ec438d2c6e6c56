/** Under which key a call is known, and to whom. */
import type { CallRequest } from "@haft/wire/CallRequest"
import type * as Tool from "@haft/core/Tool"
import * as CallKey from "@haft/wire/CallKey"
import { hash } from "node:crypto"
import type { Build } from "../Catalog.ts"
import { sha256Text } from "./digests.ts"

export interface Key {
  /** As the caller sent it, or as it follows from the call. */
  readonly key: string
  readonly storeKey: string
  readonly inputDigest: string
  /** Nobody sent it: it joins duplicates while they run, and is forgotten then. */
  readonly isDerived: boolean
}

/** For a call that names no version. */
const anyVersion = "*"

/** None for a call that may run as often as anybody likes. */
export const keyOf = (
  request: CallRequest,
  build: Build,
  determinism: NonNullable<Tool.Annotations["determinism"]>
): Key | undefined => {
  const { fn, idempotencyKey, input, versionRange = anyVersion } = request
  if (idempotencyKey === undefined && determinism === "pure") return undefined
  const { toolId } = build
  const canonical = CallKey.canonical(input)
  const key = idempotencyKey ?? derivedKey(toolId, fn, canonical, versionRange)
  return {
    key,
    storeKey: sha256Text(JSON.stringify([...scopeOf(request), toolId, majorOf(build.version), fn, key])),
    inputDigest: sha256Text(canonical),
    isDerived: idempotencyKey === undefined
  }
}

/** The key that `CallKey.idempotencyKey` gives, ten times as fast where there is a native digest. */
export const derivedKey = (toolId: string, fn: string, canonicalInput: string, versionRange: string): string =>
  hash("sha256", `[${JSON.stringify(toolId)},${JSON.stringify(fn)},${canonicalInput},${JSON.stringify(versionRange)}]`)

/** A tenant, or the namespace or session in its place, and the actor. */
const scopeOf = ({ actor, agent, namespace, sessionId, tenantId }: CallRequest): ReadonlyArray<string | null> => [
  tenantId === undefined ? null : tenantId,
  tenantId === undefined ? (namespace ?? sessionId ?? null) : null,
  actor ?? agent ?? null
]

const majorOf = (version: string | undefined): string => version?.split(".")[0] ?? ""
