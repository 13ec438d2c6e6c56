/** Starts a child process and attaches to it before Node can report anything about it. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as PlatformError from "effect/PlatformError"
import * as Predicate from "effect/Predicate"
import type * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as NodeChildProcess from "node:child_process"
import * as Fs from "node:fs/promises"
import { Socket } from "node:net"
import { fromErrno } from "./platformError.ts"
import { type Descriptor, leadsGroup, spawnOptionsOf, wordsOf } from "./processCommand.ts"
import type { Exited } from "./processExit.ts"
import * as ProcessGroup from "./processGroup.ts"
import { type Bytes, readFrom } from "./processPipes.ts"

export interface Child {
  readonly pid: ChildProcessSpawner.ProcessId
  readonly group: ProcessGroup.ProcessGroup
  readonly exited: Deferred.Deferred<Exited>
  /** Our ends of the pipes, by the child's descriptor number. */
  readonly pipes: ReadonlyMap<number, Socket>
  readonly outputs: ReadonlyMap<number, Bytes>
  readonly setReferenced: (referenced: boolean) => void
}

export const start = (
  command: ChildProcess.StandardCommand,
  descriptors: ReadonlyArray<Descriptor>
): Effect.Effect<Child, PlatformError.PlatformError> =>
  Effect.callback<Child, unknown>((resume) => {
    try {
      const node = NodeChildProcess.spawn(
        command.command,
        wordsOf(command),
        spawnOptionsOf(command.options, descriptors)
      )
      // The next tick comes before any exit or output.
      node.once("spawn", () => resume(Effect.succeed(attach(node, command, descriptors))))
      node.on("error", (cause) => resume(Effect.fail(cause)))
    } catch (cause) {
      resume(Effect.fail(cause))
    }
  }).pipe(Effect.catch((cause) => failed(command, cause)))

const attach = (
  node: NodeChildProcess.ChildProcess,
  { options }: ChildProcess.StandardCommand,
  descriptors: ReadonlyArray<Descriptor>
): Child => {
  const pid = ChildProcessSpawner.ProcessId(node.pid ?? 0)
  const exited = Deferred.makeUnsafe<Exited>()
  const pipes = pipesOf(node)
  for (const [fd, pipe] of pipes) prepare(pipe, descriptors[fd])
  const group = ProcessGroup.make(node, pid, leadsGroup(options))
  node.once("exit", (code, signal) => Deferred.doneUnsafe(exited, Exit.succeed({ code, signal })))
  return { pid, group, exited, pipes, outputs: outputsOf(pipes, descriptors), setReferenced: reference(node, pipes) }
}

const pipesOf = ({ stdio }: NodeChildProcess.ChildProcess): ReadonlyMap<number, Socket> =>
  new Map(stdio.flatMap((pipe, fd) => (pipe instanceof Socket ? [[fd, pipe] as const] : [])))

const prepare = (pipe: Socket, descriptor: Descriptor | undefined): void => {
  // Readers and writers learn of an error where they are; without a listener it would end this process.
  pipe.on("error", () => {})
  // The end of a child's answers is not the end of what it can be asked.
  pipe.allowHalfOpen = descriptor?.isInput === true && descriptor.isOutput
}

const outputsOf = (
  pipes: ReadonlyMap<number, Socket>,
  descriptors: ReadonlyArray<Descriptor>
): ReadonlyMap<number, Bytes> =>
  new Map(
    [...pipes]
      .filter(([fd]) => descriptors[fd]?.isOutput)
      .map(([fd, pipe]) => [fd, readFrom(pipe, descriptorNames[fd] ?? `fd${fd}`)])
  )

const descriptorNames = ["stdin", "stdout", "stderr"]

/** An open pipe keeps this process alive as much as the child does. */
const reference =
  (node: NodeChildProcess.ChildProcess, pipes: ReadonlyMap<number, Socket>) => (referenced: boolean) => {
    const handles = [node, ...pipes.values()]
    handles.forEach((handle) => (referenced ? handle.ref() : handle.unref()))
  }

/** Node blames the command for a working directory that cannot be entered. */
const failed = (command: ChildProcess.StandardCommand, cause: unknown) => {
  const { cwd } = command.options
  const failure = Effect.fail(toPlatformError(command, cause))
  return cwd === undefined ? failure : Effect.andThen(enter(cwd), failure)
}

const enter = (directory: string) =>
  Effect.tryPromise({
    try: () => Fs.access(`${directory}/.`, Fs.constants.X_OK),
    catch: fromErrno("ChildProcess", "spawn", directory)
  })

const toPlatformError = ({ command, options }: ChildProcess.StandardCommand, cause: unknown) => {
  // An error that is not the system's quotes the argument it rejects, and the others list all of them.
  if (!Predicate.hasProperty(cause, "syscall"))
    return PlatformError.badArgument({ module: "ChildProcess", method: "spawn" })
  Reflect.deleteProperty(cause, "spawnargs")
  return fromErrno("ChildProcess", "spawn", options.shell ? undefined : command)(cause)
}
