/** Writes the JSON Schemas of every envelope to `schemas`, for those who read them without this package. */
import * as Fs from "node:fs"
import { schemaFiles } from "./schemaFiles.ts"

const folder = new URL("../schemas/", import.meta.url)

Fs.rmSync(folder, { recursive: true, force: true })
Fs.mkdirSync(folder)
for (const [name, text] of schemaFiles) Fs.writeFileSync(new URL(name, folder), text)
