/** Directories that are gone when the process ends. */
import * as Fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export const temporaryDirectory = (): string => {
  const directory = Fs.mkdtempSync(join(tmpdir(), "haft-bench-"))
  process.once("exit", () => Fs.rmSync(directory, { recursive: true, force: true }))
  return directory
}
