/** Validators of the envelopes that others would use: our JSON Schema files in somebody else's implementation. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import { assert } from "@effect/vitest"
import { type Contract, Envelope } from "@haft/wire"
import { Result } from "effect"
import * as Fs from "node:fs"

const ajv = new Ajv2020({ strict: false, allErrors: true })

const schemaOf = (name: string) =>
  JSON.parse(Fs.readFileSync(new URL(`../../schemas/${name}.json`, import.meta.url), "utf8"))

const validators = new Map<string, ValidateFunction>()

/** Whether the JSON Schema in the file of this name admits a document. */
export const admits = (name: string, document: unknown): boolean => {
  const validate = validators.get(name) ?? ajv.compile(schemaOf(name))
  validators.set(name, validate)
  return validate(document)
}

/** Two implementations agree that the document is such an envelope. */
export const validator = <C extends Contract.Contract>(contract: C, name: Envelope.Name<C>) => {
  const check = Envelope.makeCheck(contract, name)
  return (document: unknown): void => {
    const ours = check(document)
    assert.isTrue(Result.isSuccess(ours), JSON.stringify(Result.isFailure(ours) ? ours.failure.violations : []))
    assert.isTrue(
      admits(`${contract}.${name}`, document),
      ajv.errorsText(validators.get(`${contract}.${name}`)?.errors)
    )
  }
}
