/** The JSON Schema files of this package by name, as they should be. */
import { Envelope } from "@haft/wire"

const documents = Object.entries({ ...Envelope.schemas, haft: Envelope.own }).flatMap(([contract, schemas]) =>
  Object.entries(schemas).map(([name, schema]) => ({ name: `${contract}.${name}`, schema }))
)

/** Each with the text that it should have. */
export const schemaFiles: ReadonlyMap<string, string> = new Map(
  documents.map(({ name, schema }) => [
    `${name}.json`,
    `${JSON.stringify(Envelope.toJsonSchema(name, schema), undefined, 2)}\n`
  ])
)
