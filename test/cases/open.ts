/**
 * Cases for parts that do not exist yet, each with the file that will bring the part. Once that file is there the cases
 * have to run against it, so these lists can only shrink.
 */
import type { ComingFile } from "../laws/manifest.ts"
import type { Repair } from "./corpus.ts"

const repair = "packages/core/src/ArgumentRepair.ts"
const builtins = "packages/builtins/src/LocationFiles.ts"
const gateway = "packages/gateway/package.json"
const mcp = "packages/mcp/package.json"
const remote = "packages/remote/package.json"

/** By category and tool; `as text` where the entry is about parsing. A stand-in does not close what waits for a tool. */
export const openBadInputs: Readonly<Record<string, ComingFile>> = {
  "paths read": builtins,
  "paths write": builtins,
  "paths grep": builtins,
  "paths edit": builtins,
  "paths glob": builtins,
  "paths apply_patch": builtins,
  "paths shell": builtins,
  "urls webfetch": builtins,
  "shell shell": builtins,
  "shell shell_job": builtins,
  "json read": builtins,
  "json read as text": repair,
  "json todo": builtins,
  "json todo as text": repair,
  "json edit": builtins,
  "json question": builtins,
  "json webfetch": builtins,
  "json external:any": gateway,
  "unicode write": builtins,
  "unicode edit": builtins,
  "unicode shell": builtins,
  "unicode grep": builtins,
  "unicode read": builtins,
  "unicode todo": builtins,
  "unicode question": builtins,
  "unicode webfetch": builtins,
  "regex grep": builtins,
  "regex glob": builtins,
  "sizes write": builtins,
  "sizes read": builtins,
  "sizes glob": builtins,
  "sizes grep": builtins,
  "sizes edit": builtins,
  "sizes apply_patch": builtins,
  "sizes question": builtins,
  "sizes remote:http": remote,
  "sizes remote:external": remote,
  "sizes remote:webhook": remote,
  "sizes remote:mcp-stdio": mcp,
  "sizes remote:container": remote,
  "names mcp": mcp,
  "names secret": gateway,
  "names job": builtins
}

/** By tier. Of the laws only argument text waits: values that are valid already are run. */
export const openRepairs: Readonly<Record<Repair["tier"], ComingFile>> = {
  law: repair,
  contract: repair,
  extension: repair,
  reject: repair
}
