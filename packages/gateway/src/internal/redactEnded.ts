/** How a call ended, without secrets. */
import type { Settlement } from "@haft/core/Settlement"
import type { Ended } from "@haft/core/SettlementStore"
import * as SideEffect from "@haft/core/SideEffect"
import * as ToolContent from "@haft/core/ToolContent"
import * as ToolFailure from "@haft/core/ToolFailure"
import * as Base64 from "effect/encoding/Base64"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { byName, mark, type Scrubber } from "../Scrubber.ts"

export const scrubbed = (scrubber: Scrubber, ended: Ended): Ended => {
  if (ended._tag !== "Settled") return { ...ended, effect: effectOf(scrubber, ended.effect) }
  return { _tag: "Settled", settlement: settlementOf(scrubber, ended.settlement) }
}

/** Ids are the runner's and stay as they are. */
const settlementOf = (scrubber: Scrubber, settlement: Settlement): Settlement => {
  const shared = {
    name: scrubber.text(settlement.name),
    effect: effectOf(scrubber, settlement.effect),
    warnings: settlement.warnings.map((warning) => scrubber.json(warning))
  }
  switch (settlement._tag) {
    case "Succeeded": {
      const { content, structured } = settlement.output
      const output = { structured: scrubber.json(structured), content: content.map((part) => partOf(scrubber, part)) }
      return { ...settlement, ...shared, output }
    }
    case "Failed":
      return { ...settlement, ...shared, failure: failureOf(scrubber, settlement.failure) }
    case "Rejected": {
      const { message, rejection } = settlement
      const said = byName(scrubber.text(message))
      return { ...settlement, ...shared, message: said, rejection: scrubber.json(rejection) }
    }
  }
}

const effectOf = (scrubber: Scrubber, effect: SideEffect.SideEffect): SideEffect.SideEffect =>
  effect._tag === "Committed"
    ? SideEffect.committed(
        effect.mutations.map((mutation) => ({ ...mutation, target: scrubber.text(mutation.target) }))
      )
    : effect

/** Media with a secret in it cannot be mended, so it is not shown. */
const partOf = (scrubber: Scrubber, part: ToolContent.ToolContent): ToolContent.ToolContent => {
  if (part._tag === "Text") return ToolContent.text(scrubber.text(part.text))
  const { end, push } = scrubber.streamBytes()
  const clean = Base64.encode(Buffer.concat([push(part.data), end()]))
  if (clean !== Base64.encode(part.data)) return ToolContent.text(mark)
  return part.name === undefined ? part : { ...part, name: scrubber.text(part.name) }
}

const FailureJson = Schema.toCodecJson(ToolFailure.ToolFailure)
const encode = Schema.encodeSync(FailureJson)
const decode = Schema.decodeUnknownOption(FailureJson)
const isObject = Schema.is(Schema.JsonObject)

/** A secret may stand where a failure has a number, and then there is nothing to tell but that it failed. */
const failureOf = (scrubber: Scrubber, failure: ToolFailure.ToolFailure): ToolFailure.ToolFailure => {
  const json: unknown = encode(failure)
  const clean = scrubber.json(isObject(json) ? { ...json, message: byName(failure.message) } : mark)
  if (JSON.stringify(clean) === JSON.stringify(json)) return failure
  return Option.getOrElse(decode(clean), () => ToolFailure.executionFailed({ message: mark }))
}
