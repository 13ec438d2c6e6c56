/** Where served tools come from. A registry fits as it is, and so does anything else that makes turns. */
import type { Materialization } from "@haft/core/Materialization"
import type * as OutputStore from "@haft/core/OutputStore"
import type * as Session from "@haft/core/Session"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"

export interface Source {
  /** What can be called now. Asked for with every list and every call. */
  readonly materialize: Effect.Effect<Materialization>
  /** One value for each change of what can be called. */
  readonly changes: Stream.Stream<unknown>
  /** Where complete outputs are kept. With it clients get links to them, which they can read. */
  readonly outputs?: OutputStore.Interface
  /** Told when a client has ended its session over HTTP, or has not been heard of for long, for whatever lives as long as that. */
  readonly ended?: (session: Session.ID) => Effect.Effect<void>
}
