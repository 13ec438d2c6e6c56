import { assert, describe, it } from "@effect/vitest"
import { Leaf } from "@haft/wire"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Fs from "node:fs"
import { schemaFiles } from "../scripts/schemaFiles.ts"
import { admits } from "./support/validators.ts"

const folder = new URL("../schemas/", import.meta.url)

const read = (name: string): string => Fs.readFileSync(new URL(name, folder), "utf8")

describe("the JSON Schema files", () => {
  it("are those that the script would write, and no others", () => {
    assert.sameMembers(Fs.readdirSync(folder), [...schemaFiles.keys()])
  })

  it.each([...schemaFiles.keys()])("%s is what the schema says today", (name) => {
    assert.deepStrictEqual(JSON.parse(read(name)), JSON.parse(schemaFiles.get(name) ?? ""))
  })

  it.each([...schemaFiles.keys()])("%s is a JSON Schema for everybody", (name) => {
    assert.isTrue(new Ajv2020({ strict: false }).validateSchema(JSON.parse(read(name))))
  })

  it("keep the patterns of ids, which only some regular expressions let through", () => {
    assert.isFalse(admits("uicp.response", { ...success, call_id: "17" }))
    assert.isTrue(admits("uicp.response", success))
  })

  it("are closed where a contract is, and open where it is not", () => {
    assert.isFalse(admits("uicp.response", { ...success, haft: {} }))
    assert.isTrue(admits("uicp.response", { ...success, provenance: { ...success.provenance, haft: {} } }))
    assert.isTrue(admits("orloj.request", { request_id: "r", tool: { name: "t" }, later: 1 }))
    assert.isFalse(admits("osaurus.envelope", { ok: true, result: 1, later: 1 }))
    assert.isTrue(admits("osaurus.envelope", { ok: false, kind: "timeout", message: "", retryable: true, later: 1 }))
  })

  it("describe every leaf", () => {
    const text = read("haft.outcome.json")
    for (const tag of Leaf.tags) assert.include(text, JSON.stringify(tag))
  })
})

const success = {
  call_id: "0b8e7a1c-4f0e-4b9c-9a53-6d2f1f0c2a11",
  status: "success",
  metrics: { duration_ms: 1 },
  provenance: { tool_id: "t", tool_version: "1.0.0" }
}
