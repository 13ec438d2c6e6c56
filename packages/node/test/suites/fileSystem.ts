/** What any `FileSystem` on a POSIX system owes its callers. */
import type { FileSystem, Layer } from "effect"
import { fileSystemDirectories } from "./fileSystemDirectories.ts"
import { fileSystemFiles } from "./fileSystemFiles.ts"
import { fileSystemHandles } from "./fileSystemHandles.ts"
import { fileSystemMetadata } from "./fileSystemMetadata.ts"
import { fileSystemStreams } from "./fileSystemStreams.ts"
import { fileSystemWatch } from "./fileSystemWatch.ts"

export const fileSystem = (name: string, files: Layer.Layer<FileSystem.FileSystem>): void => {
  fileSystemFiles(`${name}: files`, files)
  fileSystemDirectories(`${name}: directories`, files)
  fileSystemMetadata(`${name}: metadata`, files)
  fileSystemHandles(`${name}: handles`, files)
  fileSystemStreams(`${name}: streams`, files)
  fileSystemWatch(`${name}: watch`, files)
}
