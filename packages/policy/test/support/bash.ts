/** What a real bash runs: programs that are not there are written down with their words, and nothing is executed. */
import { spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"

/** One line for each, written at once, so that lines of processes that run together stay whole. */
const handler = `command_not_found_handle() { printf '%s\\n' "\${*@Q}" >> "$WITNESS"; return "$ANSWER"; }\n`

/** For loops that do not end, on a busy machine. */
const limitMs = 20_000

/** The words of each program in the order in which they ran, quoted by bash itself. */
export const witnessed = (command: string, answer: 0 | 1): ReadonlyArray<string> => {
  const folder = Fs.mkdtempSync(Path.join(Os.tmpdir(), "haft-bash-"))
  const [environment, witness] = [Path.join(folder, "environment"), Path.join(folder, "witness")]
  Fs.mkdirSync(Path.join(folder, "empty"))
  Fs.writeFileSync(environment, handler)
  Fs.writeFileSync(witness, "")
  spawnSync("/bin/bash", ["-o", "pipefail", "-c", "--", command], {
    cwd: Path.join(folder, "empty"),
    env: { BASH_ENV: environment, WITNESS: witness, ANSWER: String(answer), PATH: "/nowhere", LC_ALL: "C.UTF-8" },
    // Pipes, so that this also waits for what runs in the background.
    stdio: ["ignore", "pipe", "pipe"],
    timeout: limitMs,
    killSignal: "SIGKILL"
  })
  const lines = Fs.readFileSync(witness, "utf8").split("\n").slice(0, -1)
  // A process that closed them may still write.
  Fs.rmSync(folder, { recursive: true, force: true, maxRetries: 20 })
  return lines
}
