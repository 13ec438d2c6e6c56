/** Who made a request over HTTP, as far as its token tells. A host that authenticates by itself provides it around the route. */
import * as Context from "effect/Context"

/** A name for logs and for keeping callers apart; never a secret. */
export const Principal = Context.Reference<string>("@haft/mcp/Principal", { defaultValue: () => "anyone" })
