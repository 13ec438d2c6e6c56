/** What any `ChildProcessSpawner` on a POSIX system owes its callers. Reads `/proc`, so it runs on Linux. */
import type { Layer } from "effect"
import type { ChildProcessSpawner } from "effect/process"
import { childProcessCommands } from "./childProcessCommands.ts"
import { childProcessEnding } from "./childProcessEnding.ts"
import { childProcessPipes } from "./childProcessPipes.ts"

export const childProcess = (name: string, tested: Layer.Layer<ChildProcessSpawner.ChildProcessSpawner>): void => {
  childProcessCommands(`${name}: commands`, tested)
  childProcessPipes(`${name}: pipes`, tested)
  childProcessEnding(`${name}: ending`, tested)
}
