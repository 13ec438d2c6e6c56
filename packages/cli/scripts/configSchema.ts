/** The JSON Schema of `haft.json`, as the file in `schemas` should be. */
import { Config } from "@haft/cli"
import { Schema } from "effect"

const { definitions, schema } = Schema.toJsonSchemaDocument(Config.Config)

const document = { $schema: "https://json-schema.org/draft/2020-12/schema", ...schema, $defs: definitions }

/** Keys that nobody knows are refused when the file is read, so an editor should mark them as well. */
const closed = (key: string, value: unknown): unknown => (key === "additionalProperties" ? false : value)

export const configSchema = `${JSON.stringify(document, closed, 2)}\n`
