/**
 * Cases for parts that do not exist yet, each with the file that will bring the part. Once that file is there the cases
 * have to run against it, so these lists can only shrink.
 */
import type { ComingFile } from "../laws/manifest.ts"

const remote = "packages/remote/package.json"

/** By category and tool; `as text` where the entry is about parsing. A stand-in does not close what waits for a tool. */
export const openBadInputs: Readonly<Record<string, ComingFile>> = {
  "sizes remote:http": remote,
  "sizes remote:external": remote,
  "sizes remote:webhook": remote,
  "sizes remote:mcp-stdio": remote,
  "sizes remote:container": remote,
  "names mcp": remote
}
