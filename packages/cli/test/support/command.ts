/** Runs command lines in this process, with a project and a state of their own, and keeps what they print. */
import * as Haft from "@haft/cli/Haft"
import { NodeServices } from "@haft/node"
import {
  Cause,
  Console,
  ConfigProvider,
  Effect,
  Exit,
  Layer,
  Result,
  Runtime,
  Sink,
  Stdio,
  Stream,
  Terminal
} from "effect"
import { execFile } from "node:child_process"
import * as Fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** What a person, or a script, sees of a command. */
export interface Printed {
  readonly code: number
  readonly out: string
  readonly err: string
}

export interface Given {
  /** Variables besides that of the state. */
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
  /** The lines that a person types; with them, the command has a terminal. */
  readonly typed?: ReadonlyArray<string>
}

export interface Place {
  readonly root: string
  readonly state: string
  /** Runs the command as a process, for what this one cannot do: load plugins as Node does. */
  readonly process: (args: ReadonlyArray<string>) => Effect.Effect<Printed>
  readonly haft: (args: ReadonlyArray<string>, given?: Given) => Effect.Effect<Printed>
}

/** A project with these files, removed with the Scope. */
export const project = (files: Readonly<Record<string, string>> = {}) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => Fs.realpathSync(Fs.mkdtempSync(join(tmpdir(), "haft-cli-")))),
      (path) => Effect.sync(() => Fs.rmSync(path, { recursive: true }))
    ),
    (directory): Place => {
      const root = join(directory, "project")
      const state = join(directory, "state")
      Fs.mkdirSync(root)
      for (const [name, text] of Object.entries(files)) Fs.writeFileSync(join(root, name), text)
      const process = (args: ReadonlyArray<string>) => spawned([...args, "--root", root], state)
      return {
        root,
        state,
        process,
        haft: (args, given = {}) => run([...args, "--root", root], { HAFT_STATE: state, ...given.env }, given)
      }
    }
  )

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url))

const spawned = (args: ReadonlyArray<string>, state: string) =>
  Effect.callback<Printed>((resume) => {
    const env = { HAFT_STATE: state, PATH: globalThis.process.env["PATH"] }
    execFile(globalThis.process.execPath, [main, ...args], { env }, (error, out, err) =>
      resume(Effect.succeed({ code: Number(error?.code ?? 0), out, err }))
    )
  })

const run = Effect.fnUntraced(function* (args: ReadonlyArray<string>, env: Record<string, string>, given: Given) {
  const out: Array<string> = []
  const err: Array<string> = []
  const exit = yield* Haft.run(args).pipe(
    Effect.provide(terminal(out, given)),
    Effect.provideService(Console.Console, {
      ...globalThis.console,
      log: (...texts) => void out.push(`${texts.join(" ")}\n`),
      error: (...texts) => void err.push(`${texts.join(" ")}\n`)
    }),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })),
    Effect.exit
  )
  return { code: codeOf(exit), out: out.join(""), err: err.join("") }
})

const codeOf = <A, E>(exit: Exit.Exit<A, E>): number => {
  if (Exit.isSuccess(exit)) return 0
  const error = Result.getOrThrow(Cause.findError(exit.cause))
  return Runtime.getErrorExitCode(error)
}

const terminal = (out: Array<string>, { stdin = "", typed }: Given) => {
  const isTerminal = Effect.succeed(typed !== undefined)
  const lines = [...(typed ?? [])]
  const decoder = new TextDecoder()
  const stdio = Stdio.layerTest({
    stdin: Stream.make(new TextEncoder().encode(stdin)),
    stdinIsTerminal: isTerminal,
    stderrIsTerminal: isTerminal,
    stdout: () =>
      Sink.forEach((chunk) =>
        Effect.sync(() => void out.push(typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true })))
      )
  })
  const keyboard = Layer.effect(
    Terminal.Terminal,
    Effect.map(Terminal.Terminal, (real) => ({
      ...real,
      readLine: Effect.suspend(() => {
        const line = lines.shift()
        return line === undefined ? Effect.fail(new Terminal.QuitError()) : Effect.succeed(line)
      })
    }))
  )
  return Layer.provideMerge(Layer.merge(stdio, keyboard), NodeServices.layer)
}
