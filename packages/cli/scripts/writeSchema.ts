/** Writes the JSON Schema of `haft.json` to `schemas`, for editors. */
import { writeFileSync } from "node:fs"
import { configSchema } from "./configSchema.ts"

writeFileSync(new URL("../schemas/haft.schema.json", import.meta.url), configSchema)
