/** The schemas of the tools, for the subjects that take zod's. */
import { z } from "zod"
import type { Kind } from "./works.ts"

export const Pair = z.strictObject({ a: z.int(), b: z.string() })
export const Total = z.strictObject({ sum: z.int() })

/** Made anew: nothing that one tool made for its schemas is there for the next. */
export const inputOf = (kind: Kind) =>
  kind === "search" ? z.strictObject({ query: z.string(), limit: z.int().optional() }) : Pair

/** A tool that returns text has no schema for it in all of the subjects. */
export const outputOf = (kind: Kind) => (kind === "large" ? undefined : Total)
