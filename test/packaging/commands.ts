/** Child processes of the packaging tests. */
import { execFile } from "node:child_process"
import * as Path from "node:path"
import { promisify } from "node:util"

/** Used where the tests were not started by pnpm itself. */
const pnpmVersion = "12.18.0"

const maxBuffer = 64 * 1024 * 1024

/** Gives what the command printed; a command that fails rejects with everything that it printed. */
const run = async (cwd: string, [file, ...args]: Command): Promise<string> => {
  const { stdout } = await promisify(execFile)(file, args, { cwd, maxBuffer }).catch((cause) => {
    throw new Error(`${file} ${args.join(" ")}\n${cause.stdout}\n${cause.stderr}`, { cause })
  })
  return stdout
}

type Command = readonly [file: string, ...args: ReadonlyArray<string>]

/** Runs the Node that runs the tests. */
export const node = (cwd: string, ...args: ReadonlyArray<string>): Promise<string> =>
  run(cwd, [process.execPath, ...args])

/** Runs the compiler that is installed below `cwd`. */
export const tsc = (cwd: string, ...args: ReadonlyArray<string>): Promise<string> =>
  node(cwd, Path.join(cwd, "node_modules", "typescript", "bin", "tsc"), ...args)

export const pnpm = (cwd: string, ...args: ReadonlyArray<string>): Promise<string> =>
  run(cwd, [...pnpmCommand(process.env["npm_execpath"]), ...args])

/** Takes the path of the package manager that started the tests, which may be a script, a binary or not pnpm. */
export const pnpmCommand = (running: string | undefined): Command => {
  if (running === undefined || !Path.basename(running).startsWith("pnpm")) return ["npx", "-y", `pnpm@${pnpmVersion}`]
  return /\.[cm]?js$/.test(running) ? [process.execPath, running] : [running]
}
