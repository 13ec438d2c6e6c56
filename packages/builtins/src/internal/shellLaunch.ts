/** The program that is really started for a command: in a namespace of its own, or beside this process with a watch. */
import * as ChildProcess from "effect/process/ChildProcess"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { type Limits, limitArguments } from "./shellLimits.ts"
import { type Setting, sandboxArguments, type View } from "./shellSandbox.ts"
import * as Scripts from "./shellScripts.ts"

/** Where the programs are. */
export interface Programs {
  readonly bash: string
  /** A name is looked for in the system's own directories. */
  readonly bubblewrap: string
}

/** What every command of a Location has in common. */
export interface Launching {
  readonly programs: Programs
  readonly view: View
  readonly limits: Limits
}

/** One command. */
export interface Launch {
  readonly text: string
  /** Leads to the directory in which the program is started. */
  readonly place: string
  /** Whether the second stream goes into the first, in the order of writing. */
  readonly isMerged: boolean
  /** The control group to be in, or the empty text. */
  readonly group: string
}

/** A quick end: everything that is to be gentle has been tried before. */
const ending = { stdin: "ignore", killSignal: "SIGKILL", forceKillAfter: "1 second" } as const

/** Whatever is written to it says what the launcher has to say. */
const notes = { fd6: { type: "output" } } as const

const merging = (script: string, isMerged: boolean): string => (isMerged ? `exec 2>&1\n${script}` : script)

/** Started in the root, which the launcher opens for bubblewrap. Nothing of it is to be seen in a list of processes. */
export const isolated = ({ limits, programs, view }: Launching, launch: Launch, setting: Setting) => {
  const given = sandboxArguments(view, setting).map((argument) => `${argument}\0`)
  const places = setting.mounts.flatMap(({ path, place }) => [path, place])
  const keeper = [programs.bash, "-c", Scripts.isolatedKeeper, "bash", launch.text, ...limitArguments(limits)]
  const script = merging(Scripts.isolatedLauncher, launch.isMerged)
  return ChildProcess.make(
    programs.bash,
    ["-c", script, "bash", launch.group, ...places, "--", programs.bubblewrap, "--args", "3", "--", ...keeper],
    {
      ...ending,
      cwd: launch.place,
      env: {},
      additionalFds: {
        ...notes,
        fd3: { type: "input", stream: Stream.make(Buffer.from(given.join(""))) },
        fd5: { type: "output" }
      }
    }
  )
}

/** Started in its working directory. */
export const plain = ({ limits, programs, view }: Launching, launch: Launch, mark: string) =>
  ChildProcess.make(
    programs.bash,
    [
      "-c",
      merging(Scripts.plainLauncher, launch.isMerged),
      "bash",
      launch.text,
      ...limitArguments(limits),
      launch.group
    ],
    {
      ...ending,
      cwd: launch.place,
      env: { ...redacted(view.variables), [Scripts.markName]: mark },
      additionalFds: { ...notes, fd3: { type: "input", stream: Stream.never } }
    }
  )

const redacted = (variables: ReadonlyMap<string, string>) =>
  Object.fromEntries([...variables].map(([name, value]) => [name, Redacted.make(value)]))
