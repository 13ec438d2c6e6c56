/**
 * Which of several published builds a version range stands for. Pure: the same builds, range and lock give the same answer,
 * and where there could be two there is none.
 */
import type { Locked } from "@haft/wire/UicpManifest"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as SemVer from "effect/SemVer"
import * as SemVerRange from "effect/SemVerRange"

/** A build, as far as choosing goes. */
export interface Candidate {
  readonly version: string
  readonly digest: string
}

/** Of a request that names none. */
export const anyRange = "*"

/** More alternatives than anybody writes, and few enough to be read in no time. */
export const maxRangeLength = 1024

/** Why nothing was chosen. */
export interface Unresolved {
  readonly reason: "range_invalid" | "none_matches" | "ambiguous" | "lock_mismatch"
  readonly candidates: ReadonlyArray<string>
}

/**
 * With a lock, the locked build or nothing. Without one the highest version in the range; a prerelease only if the range
 * names one; and nothing if two builds have that version.
 */
export const choose = <C extends Candidate>(
  builds: ReadonlyArray<C>,
  range: string,
  locked?: Pick<Locked, "version" | "digest">
): Result.Result<C, Unresolved> => {
  const candidates = [...new Set(builds.map(({ version }) => version))].toSorted()
  const refuse = (reason: Unresolved["reason"]) => Result.fail({ reason, candidates })
  if (range.length > maxRangeLength) return refuse("range_invalid")
  const parsed = Result.getSuccess(SemVerRange.parse(range))
  if (Option.isNone(parsed)) return refuse("range_invalid")
  const matching = builds.filter(({ version }) => isIn(parsed.value, version))
  if (matching.length === 0) return refuse("none_matches")
  if (locked !== undefined) return pinned(matching, locked) ?? refuse("lock_mismatch")
  const highest = matching.reduce((left, right) => (isHigher(right.version, left.version) ? right : left))
  const same = matching.filter(({ version }) => !isHigher(highest.version, version))
  return new Set(same.map(({ digest }) => digest)).size > 1 ? refuse("ambiguous") : Result.succeed(highest)
}

const pinned = <C extends Candidate>(
  matching: ReadonlyArray<C>,
  { digest, version }: Pick<Locked, "version" | "digest">
): Result.Result<C> | undefined => {
  const found = matching.find((candidate) => candidate.version === version && candidate.digest === digest)
  return found === undefined ? undefined : Result.succeed(found)
}

const isIn = (range: SemVerRange.SemVerRange, version: string): boolean =>
  Option.exists(Result.getSuccess(SemVer.parse(version)), (version) => SemVerRange.matches(range, version))

/** What was let into a range can be parsed. */
const isHigher = (left: string, right: string): boolean =>
  SemVer.isGreaterThan(SemVer.parseUnsafe(left), SemVer.parseUnsafe(right))
