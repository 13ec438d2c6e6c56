/** The two case corpora, loaded whole: an entry of an unknown form is an error and not skipped. */
import { Predicate, Schema } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"

const BadInput = Schema.Struct({
  id: Schema.String,
  category: Schema.Literals(["paths", "urls", "shell", "json", "unicode", "regex", "sizes", "names"]),
  tool: Schema.String,
  input: Schema.Json,
  must: Schema.Literals(["reject", "accept", "bounded"]),
  why: Schema.String,
  setup: Schema.optionalKey(Schema.Array(Schema.JsonObject)),
  expect: Schema.optionalKey(Schema.Json),
  limitMs: Schema.optionalKey(Schema.Int),
  repeat: Schema.optionalKey(Schema.Int)
})
export type BadInput = typeof BadInput.Type

const Repair = Schema.Struct({
  name: Schema.String,
  tier: Schema.Literals(["law", "contract", "extension", "reject"]),
  schema: Schema.JsonObject,
  input: Schema.Json,
  expect: Schema.Union([
    Schema.Struct({ ok: Schema.Json }),
    Schema.Struct({ error: Schema.Struct({ field: Schema.NullOr(Schema.String), reason: Schema.String }) })
  ]),
  tool: Schema.optionalKey(Schema.String),
  source: Schema.String,
  note: Schema.optionalKey(Schema.String)
})
export type Repair = typeof Repair.Type

const load = <Entry>(file: string, entry: Schema.Codec<Entry, unknown>): ReadonlyArray<Entry> =>
  Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(entry)), { onExcessProperty: "error" })(
    readFileSync(join(import.meta.dirname, file), "utf8")
  )

export const badInputs = load("bad-inputs.json", BadInput)
export const repairs = load("repair.json", Repair)

/** What the entry describes is a situation of the registry, not just a name. */
export const isRegistryCase = ({ input, tool }: BadInput): boolean =>
  tool === "registry" && !Predicate.hasProperty(input, "name")

/** The entry is the pattern of a permission rule. */
export const isRuleCase = ({ tool }: BadInput): boolean => tool === "permission_rule"

const fileTools: ReadonlySet<string> = new Set(["read", "write", "edit", "apply_patch", "glob", "grep"])

/** The entry is a call of a file tool. */
export const isFileCase = ({ tool }: BadInput): boolean => fileTools.has(tool)

/** The entry is a call of the tool that fetches. */
export const isWebCase = ({ tool }: BadInput): boolean => tool === "webfetch"

/** The entry is a call of a tool that talks to people. */
export const isTalkCase = ({ tool }: BadInput): boolean => tool === "todo" || tool === "question"

const commandTools: ReadonlySet<string> = new Set(["shell", "shell_job", "job"])

/** The entry is a command, or a call about a background job. */
export const isCommandCase = ({ tool }: BadInput): boolean => commandTools.has(tool)

/** The entry is about a governed call, or about a secret. */
export const isGatewayCase = ({ category, tool }: BadInput): boolean =>
  tool === "secret" || (category === "json" && tool === "external:any")
