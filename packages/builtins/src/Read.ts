/**
 * The tool that reads: text in numbered pages, directories as paths to go on with, images and PDF documents as media.
 * Register it as `read`. A page costs as much as is shown of it, however large the file is. Where there are background jobs, it
 * also reads their logs, which the session that started a job may always do.
 */
import * as Permission from "@haft/core/Permission"
import * as Tool from "@haft/core/Tool"
import * as ToolContent from "@haft/core/ToolContent"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { failures } from "./internal/failures.ts"
import { Path } from "./internal/inputs.ts"
import { openLog, targetOf } from "./internal/jobLog.ts"
import { readListing } from "./internal/listing.ts"
import { locate } from "./internal/locate.ts"
import { readFile } from "./internal/readFile.ts"
import * as Sentences from "./internal/readSentences.ts"
import * as LocationFiles from "./LocationFiles.ts"
import * as LocationJobs from "./LocationJobs.ts"

const fields = Sentences.readFields
const count = (description: string, example: number) =>
  Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)).annotate({ description, examples: [example] }))

/** What a model sends. */
export const Input = Schema.Struct({
  path: Path.annotate({ description: fields.path, examples: ["src/index.ts", "src"] }),
  offset: count(fields.offset, 2001),
  limit: count(fields.limit, 100)
})

const Place = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

const File = Schema.Struct({
  kind: Schema.Literal("file"),
  path: Schema.String,
  /** Without line numbers. */
  text: Schema.String,
  startLine: Place,
  /** The offset of the next page. */
  nextOffset: Schema.optionalKey(Place),
  /** Known on the last page. */
  totalLines: Schema.optionalKey(Schema.Int),
  /** Lines that are longer than what is shown of them. */
  cutLines: Schema.Array(Place),
  hasInvalidBytes: Schema.Boolean
})

const Listing = Schema.Struct({
  kind: Schema.Literal("listing"),
  path: Schema.String,
  entries: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      /** For the next call. */
      path: Schema.String,
      type: Schema.Literals(["file", "directory", "link", "other"])
    })
  ),
  entryCount: Schema.Int,
  nextOffset: Schema.optionalKey(Place)
})

const Media = Schema.Struct({
  kind: Schema.Literal("media"),
  path: Schema.String,
  mimeType: Schema.String,
  data: Schema.Uint8ArrayFromBase64
})

/** One of three, told apart by `kind`. */
export const Output = Schema.Union([File, Listing, Media])

/** The tool, for the files of one Location. */
export const make: Effect.Effect<
  Tool.Tool<typeof Input, typeof Output>,
  never,
  LocationFiles.Service | Permission.Service
> = Effect.gen(function* () {
  const files = yield* LocationFiles.Service
  const permission = yield* Permission.Service
  const jobs = yield* Effect.serviceOption(LocationJobs.Service)
  const tool = Tool.make({
    description: Sentences.readDescription,
    input: Input,
    output: Output,
    execute: Effect.fn("Read.execute")(
      function* (input, context) {
        const log = yield* openLog(jobs, context.sessionID, input.path)
        if (Option.isSome(log)) return yield* readFile(log.value, targetOf(input.path), input)
        const target = yield* locate(files, permission, input.path, context)
        yield* permission.assert(requestFor(files, target), context)
        const opened = yield* files.open(target)
        if (opened._tag === "Directory") return yield* readListing(opened, target, input)
        return yield* readFile(opened, target, input)
      },
      Effect.scoped,
      Effect.catchTags(failures)
    ),
    toModelOutput: ({ output }) => shown(output)
  })
  return Tool.annotate(tool, {
    title: "Read",
    determinism: "pure",
    operations: ["read"],
    capabilities: ["filesystem.read"],
    risk: "low",
    version: "1.0.0"
  })
})

const requestFor = (files: LocationFiles.Interface, { resource }: LocationFiles.Target): Permission.Request => ({
  action: "read",
  resources: [resource],
  save: ["*"],
  metadata: { root: files.root, confinement: files.confinement }
})

const shown = (output: typeof Output.Encoded): ReadonlyArray<ToolContent.ToolContent> => {
  switch (output.kind) {
    case "file":
      return [ToolContent.text(Sentences.textPage(output))]
    case "listing":
      return [ToolContent.text(Sentences.listing(output))]
    case "media":
      return media(output)
  }
}

const media = ({ data, mimeType, path }: typeof Media.Encoded): ReadonlyArray<ToolContent.ToolContent> => {
  const bytes = Uint8Array.from(Buffer.from(data, "base64"))
  return [
    ToolContent.text(Sentences.shownMedia(path, mimeType, bytes.length)),
    ToolContent.media({ mimeType, data: bytes })
  ]
}
