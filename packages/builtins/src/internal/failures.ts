/** What each error of the files becomes for a model. Every tag is here, and nothing else is caught. */
import type * as Permission from "@haft/core/Permission"
import * as ToolFailure from "@haft/core/ToolFailure"
import type * as Errors from "./fileErrors.ts"
import * as Sentences from "./sentences.ts"

/** For `Effect.catchTags` around an executor. */
export const failures = {
  "LocationFiles.InvalidPathError": ({ reason }: Errors.InvalidPathError) =>
    invalidArgument("path", Sentences.invalidPath(reason), Sentences.invalidPathHint),
  "LocationFiles.OutsideError": (error: Errors.OutsideError) =>
    ToolFailure.denied({
      by: "policy",
      message: Sentences.outside(error),
      hint: Sentences.outsideHint[error.by],
      field: "path"
    }),
  "LocationFiles.ProtectedError": ({ path }: Errors.ProtectedError) =>
    ToolFailure.denied({
      by: "policy",
      message: Sentences.protectedPlace(path),
      hint: Sentences.protectedHint,
      field: "path"
    }),
  "LocationFiles.LoopError": ({ path }: Errors.LoopError) =>
    ToolFailure.precondition({
      message: Sentences.loop(path),
      hint: Sentences.loopHint,
      field: "path",
      condition: "no-loop"
    }),
  "LocationFiles.NotFoundError": (error: Errors.NotFoundError) =>
    ToolFailure.notFound({
      message: Sentences.notFound(error),
      hint: error.isNameUnreadable ? Sentences.unreadableNameHint : Sentences.notFoundHint(error.nearest),
      field: "path",
      resource: error.path,
      candidates: error.nearest
    }),
  "LocationFiles.WrongKindError": (error: Errors.WrongKindError) =>
    ToolFailure.precondition({
      message: Sentences.wrongKind(error),
      hint: Sentences.wrongKindHint[error.expected],
      field: "path",
      condition: "kind"
    }),
  "LocationFiles.AccessError": (error: Errors.AccessError) =>
    ToolFailure.precondition({
      message: Sentences.noAccess(error),
      hint: Sentences.noAccessHint,
      field: "path",
      condition: "access"
    }),
  "LocationFiles.ChangedError": ({ path }: Errors.ChangedError) =>
    ToolFailure.precondition({
      message: Sentences.changed(path),
      hint: Sentences.changedHint,
      field: "path",
      condition: "unchanged",
      retry: { model: true }
    }),
  "LocationFiles.TooLargeError": (error: Errors.TooLargeError) =>
    ToolFailure.precondition({
      message: Sentences.tooLarge(error),
      hint: Sentences.tooLargeHint,
      field: "path",
      condition: "size"
    }),
  "LocationFiles.SystemError": (error: Errors.SystemError) =>
    ToolFailure.unavailable({ message: Sentences.systemError(error), hint: Sentences.systemErrorHint }),
  "LocationFiles.UncertainError": (error: Errors.UncertainError) =>
    ToolFailure.executionFailed({ message: Sentences.uncertain(error), hint: Sentences.uncertainHint }),
  "Permission.DeniedError": (error: Permission.DeniedError) => ToolFailure.denied(error)
}

/** An argument that decoded and makes no sense here. */
export const invalidArgument = (field: string, message: string, hint: string): ToolFailure.ToolFailure =>
  ToolFailure.invalidArguments({ message, hint, field, violations: [{ path: field, message }] })
