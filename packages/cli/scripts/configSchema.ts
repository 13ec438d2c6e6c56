/** The JSON Schema of `haft.json`, as the file in `schemas` should be. */
import { Config } from "@haft/cli"
import { Schema } from "effect"

const { definitions, schema } = Schema.toJsonSchemaDocument(Config.Config, { additionalProperties: false })

export const configSchema = `${JSON.stringify(
  { $schema: "https://json-schema.org/draft/2020-12/schema", ...schema, $defs: definitions },
  undefined,
  2
)}\n`
