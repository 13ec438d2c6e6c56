/** Every document of the four contracts by name: its schema, its JSON Schema, and a check for documents from outside. */
import type * as Tool from "@haft/core/Tool"
import type * as JsonSchema from "effect/JsonSchema"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { CallRequest } from "./CallRequest.ts"
import * as ContextOs from "./ContextOs.ts"
import type { Contract } from "./Contract.ts"
import * as DecisionRecord from "./DecisionRecord.ts"
import type { InvalidEnvelope } from "./EnvelopeError.ts"
import { checker } from "./internal/envelopes.ts"
import * as Orloj from "./Orloj.ts"
import * as Osaurus from "./Osaurus.ts"
import { OsaurusResult } from "./OsaurusResult.ts"
import { Outcome } from "./Outcome.ts"
import * as RunContext from "./RunContext.ts"
import * as Slot from "./Slot.ts"
import * as TraceContext from "./TraceContext.ts"
import * as Uicp from "./Uicp.ts"
import * as UicpManifest from "./UicpManifest.ts"

/** By contract and document. */
export const schemas = {
  orloj: { request: Orloj.Request, response: Orloj.Response, "interop-response": Orloj.InteropResponse },
  uicp: {
    request: Uicp.Request,
    response: Uicp.Response,
    manifest: UicpManifest.Manifest,
    lock: UicpManifest.Lock
  },
  contextos: {
    "tool-call": ContextOs.ToolCall,
    "tool-result": ContextOs.ToolResult,
    "run-context": RunContext.RunContext,
    "invoke-agent": RunContext.InvokeAgent,
    "decision-record": DecisionRecord.DecisionRecord,
    "budget-report": DecisionRecord.BudgetReport,
    "context-ledger": DecisionRecord.ContextLedger,
    manifests: DecisionRecord.Manifests,
    "trace-context": TraceContext.Headers
  },
  osaurus: { envelope: Osaurus.Envelope, result: OsaurusResult }
} as const

/** What Haft adds: the model behind the envelopes, and what stands in their slots. */
export const own = {
  outcome: Outcome,
  "call-request": CallRequest,
  "request-slot": Slot.Request,
  "result-slot": Slot.Result
} as const

/** The names of a contract's documents. */
export type Name<C extends Contract> = keyof (typeof schemas)[C] & string

/** Holds documents against the shape that we write them in. Build it once. */
export const makeCheck = <C extends Contract>(
  contract: C,
  name: Name<C>
): ((document: unknown) => Result.Result<void, InvalidEnvelope>) => {
  const documents: Readonly<Record<string, Tool.Codec>> = schemas[contract]
  const check = checker({ contract, envelope: name }, documents[name] ?? Schema.Never)
  return (document) => Result.map(check(document), () => undefined)
}

/** Draft 2020-12, with unknown keys refused wherever the contract is closed. */
export const toJsonSchema = (title: string, schema: Tool.Codec): JsonSchema.JsonSchema => {
  const document = Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error", referencePolicy: () => undefined })
  const definitions = Object.keys(document.definitions).length === 0 ? {} : { $defs: document.definitions }
  return { $schema: "https://json-schema.org/draft/2020-12/schema", title, ...document.schema, ...definitions }
}
