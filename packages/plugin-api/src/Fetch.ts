/** The capability `fetch`: requests to other machines, as far as the host lets them through. */
import * as Capability from "./Capability.ts"

/** The same function as `globalThis.fetch`, for both flavours of plugins. */
export type Interface = typeof globalThis.fetch

export class Service extends Capability.Service<Service, Interface>()("fetch") {}
