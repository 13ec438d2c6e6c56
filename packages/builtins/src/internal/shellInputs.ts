/** Fields and failures of the tools for commands. */
import * as ToolFailure from "@haft/core/ToolFailure"
import * as Schema from "effect/Schema"
import type { NotDirectoryError, StartError } from "./shellErrors.ts"
import * as Sentences from "./shellSentences.ts"

/** The system takes no longer argument, of which the last byte is its own. */
const maxCommandBytes = 128 * 1024 - 1

export const CommandText = Schema.String.check(
  Schema.makeFilter((text: string) => text.trim() !== "", { expected: Sentences.blankCommand }),
  Schema.makeFilter((text: string) => text.isWellFormed() && !text.includes("\0"), { expected: Sentences.withoutNul }),
  Schema.makeFilter((text: string) => Buffer.byteLength(text) <= maxCommandBytes, {
    expected: Sentences.upTo(maxCommandBytes)
  })
)

/** A longer one would be silent for longer than anybody waits. */
const maxIdleSeconds = 3600

export const IdleSeconds = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxIdleSeconds }))

/** One line for a person. */
const maxDescriptionLength = 500

export const Description = Schema.String.check(Schema.isMaxLength(maxDescriptionLength))

/** For `Effect.catchTags` around an executor. */
export const shellFailures = {
  "LocationShell.StartError": ({ reason }: StartError) => {
    const said = { message: Sentences.notStarted(reason), hint: Sentences.notStartedHint[reason] }
    return reason === "TooManyJobs"
      ? ToolFailure.precondition({ ...said, condition: "jobs" })
      : ToolFailure.unavailable(said)
  },
  "LocationShell.NotDirectoryError": ({ path }: NotDirectoryError) =>
    ToolFailure.precondition({
      message: Sentences.notDirectory(path),
      hint: Sentences.notDirectoryHint,
      field: "path",
      condition: "kind"
    })
}

/** What the files call a path is the working directory here. */
export const aboutCwd = (failure: ToolFailure.ToolFailure): ToolFailure.ToolFailure =>
  failure.field === "path"
    ? new ToolFailure.ToolFailure({ ...failure, message: failure.message, field: "cwd" })
    : failure
