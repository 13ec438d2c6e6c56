/** Why the parts of a project could not be put together, for the person at the terminal. */
import type * as LocationFiles from "@haft/builtins/LocationFiles"
import type * as LocationSearch from "@haft/builtins/LocationSearch"
import type * as LocationShell from "@haft/builtins/LocationShell"
import type * as OutputStore from "@haft/core/OutputStore"
import type * as SettlementStore from "@haft/core/SettlementStore"
import type * as Tool from "@haft/core/Tool"
import type * as PolicyStore from "@haft/policy/PolicyStore"
import type * as Rule from "@haft/policy/Rule"
import type * as RegistryFiles from "@haft/registry/files"
import type * as RegistrySql from "@haft/registry/sql"
import type * as PolicySql from "@haft/policy/sql"
import type * as History from "@haft/runner/History"
import type * as RunnerSql from "@haft/runner/sql"
import * as Effect from "effect/Effect"
import type * as PlatformError from "effect/PlatformError"
import * as Predicate from "effect/Predicate"
import type * as SqlError from "effect/sql/SqlError"
import { OperationalError, UsageError } from "./faults.ts"
import * as Sentences from "./sentences.ts"

/** Everything that putting a project together can fail with. */
export type OpeningError =
  | History.StorageError
  | LocationFiles.RootError
  | LocationSearch.UnavailableError
  | LocationShell.UnavailableError
  | OutputStore.StorageError
  | PlatformError.PlatformError
  | PolicySql.VersionError
  | PolicyStore.StorageError
  | RegistryFiles.RefusedError
  | RegistrySql.VersionError
  | RunnerSql.VersionError
  | Rule.InvalidRulesError
  | SettlementStore.StorageError
  | SqlError.SqlError
  | Tool.RegistrationError

/** Other errors pass. */
export const explained = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, Exclude<E, OpeningError> | UsageError | OperationalError, R> =>
  Effect.mapError(effect, (error) => (isOpeningError(error) ? explain(error) : others(error)))

/** The guard above says so, and no compiler can follow it through a type parameter. */
const others = <E>(error: E): Exclude<E, OpeningError> => error as Exclude<E, OpeningError>

const tags: ReadonlySet<unknown> = new Set<OpeningError["_tag"]>([
  "History.StorageError",
  "LocationFiles.RootError",
  "LocationSearch.UnavailableError",
  "LocationShell.UnavailableError",
  "OutputStore.StorageError",
  "PlatformError",
  "PolicyStore.StorageError",
  "Rule.InvalidRulesError",
  "SettlementStore.StorageError",
  "SqlError",
  "Tool.RegistrationError",
  "files.RefusedError",
  "sql.VersionError"
])

const isOpeningError = (error: unknown): error is OpeningError =>
  Predicate.hasProperty(error, "_tag") && tags.has(error._tag)

const explain = (error: OpeningError): UsageError | OperationalError => {
  switch (error._tag) {
    case "LocationFiles.RootError":
      return error.reason === "NotDirectory"
        ? new UsageError(Sentences.noSuchRoot(error.root))
        : new OperationalError(Sentences.notConfined(error.root))
    case "LocationSearch.UnavailableError":
      return new OperationalError(Sentences.noSearch(error.reason))
    case "LocationShell.UnavailableError":
      return new UsageError(Sentences.noShell(error.reason))
    case "Rule.InvalidRulesError":
      return new UsageError(Sentences.badRules(error.message))
    case "Tool.RegistrationError":
      return new OperationalError(Sentences.badTool(error.message))
    case "SqlError":
      return store(error.reason.message)
    case "sql.VersionError":
      return store(Sentences.newerDatabase(error.found, error.supported))
    case "PlatformError":
    case "files.RefusedError":
      return store(error.message)
    case "History.StorageError":
    case "OutputStore.StorageError":
    case "PolicyStore.StorageError":
    case "SettlementStore.StorageError":
      return store(error.cause instanceof Error ? error.cause.message : error.operation)
  }
}

const store = (reason: string): OperationalError => new OperationalError(Sentences.storeFailed(reason))
