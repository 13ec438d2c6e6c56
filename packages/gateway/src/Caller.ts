/** Who sent a request over HTTP, as the token proves it, for the route that answers. */
import * as Context from "effect/Context"
import type { CallOptions } from "./Gateway.ts"

/** None where the host lets everybody in. */
export type Interface = CallOptions["caller"] | undefined

export class Service extends Context.Service<Service, Interface>()("@haft/gateway/Caller") {}
