/** An object on its way through its schema. */
import type * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import type { Declared } from "./declared.ts"
import type { Spot } from "./outcome.ts"
import type { Run } from "./run.ts"
import type { Tally } from "./tally.ts"

export interface Draft {
  readonly run: Run
  readonly ast: SchemaAST.Objects
  readonly declared: Declared
  /** As far as it has come. */
  readonly object: Schema.JsonObject
  readonly spot: Spot
  /** What it took to come this far. */
  readonly tally: Tally
}
