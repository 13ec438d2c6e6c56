/** Kept outputs as addresses of resources. */
import type * as ManagedOutput from "@haft/core/ManagedOutput"

/** Where all of them are. */
export const base = "haft://output/"

export const of = (ref: ManagedOutput.Ref): string => `${base}${ref}`
