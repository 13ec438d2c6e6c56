/** One child process, held by a Scope and shown as Effect's handle. */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as PlatformError from "effect/PlatformError"
import type * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import { type Descriptor, descriptorsOf, refusalOf } from "./processCommand.ts"
import { toExitCode } from "./processExit.ts"
import * as ProcessGroup from "./processGroup.ts"
import { type Bytes, feed, type Input, writeTo } from "./processPipes.ts"
import { type Child, start } from "./processStart.ts"

export type Handle = ChildProcessSpawner.ChildProcessHandle

/** A handle together with what a pipeline needs besides. */
export interface Spawned {
  readonly handle: Handle
  readonly outputs: ReadonlyMap<number, Bytes>
  /** Whoever writes to these descriptors from now on learns that nobody reads. */
  readonly closePipes: (descriptors: ReadonlyArray<number>) => void
}

/** A child with the state that its handle and its finalizer share. */
interface Held {
  readonly child: Child
  readonly options: ChildProcess.CommandOptions
  readonly inputFailed: Deferred.Deferred<never, PlatformError.PlatformError>
  isReferenced: boolean
}

export const badArgument = (description: string) =>
  PlatformError.badArgument({ module: "ChildProcess", method: "spawn", description })

export const spawn = Effect.fnUntraced(function* (command: ChildProcess.StandardCommand) {
  const refusal = refusalOf(command)
  if (refusal !== undefined) return yield* Effect.fail(badArgument(refusal))
  const descriptors = descriptorsOf(command.options)
  const held = yield* Effect.acquireRelease(hold(command, descriptors), release)
  yield* Effect.forEach(descriptors, (descriptor, fd) => feedInput(held, descriptor, fd), { discard: true })
  const outputs = outputsOf(held.child, descriptors)
  const closePipes = (fds: ReadonlyArray<number>) => fds.forEach((fd) => held.child.pipes.get(fd)?.destroy())
  return { handle: toHandle(command, held, descriptors, outputs), outputs, closePipes }
})

const hold = (command: ChildProcess.StandardCommand, descriptors: ReadonlyArray<Descriptor>) =>
  Effect.map(start(command, descriptors), (child): Held => ({
    child,
    options: command.options,
    inputFailed: Deferred.makeUnsafe(),
    isReferenced: true
  }))

const release = (held: Held) =>
  Effect.suspend(() => (held.isReferenced ? end(held) : Effect.void)).pipe(
    Effect.andThen(Effect.sync(() => held.child.pipes.forEach((pipe) => pipe.destroy())))
  )

/** Nobody is there to receive a failure, but a process that stays behind should not do so silently. */
const end = ({ child, options }: Held) =>
  Effect.ignore(ProcessGroup.terminate(child.group, options), { log: "Warn", message: `process ${child.pid} stays` })

const feedInput = (held: Held, { endOnDone = true, source }: Descriptor, fd: number) => {
  const pipe = held.child.pipes.get(fd)
  if (source === undefined || pipe === undefined) return Effect.void
  return feed(source, pipe, endOnDone).pipe(
    Effect.onError((cause) => (Cause.hasInterruptsOnly(cause) ? Effect.void : abandon(held, cause))),
    Effect.forkScoped
  )
}

/** A child that has exited already did not need the rest. */
const abandon = (held: Held, cause: Cause.Cause<PlatformError.PlatformError>) =>
  Effect.suspend(() => {
    if (Deferred.isDoneUnsafe(held.child.exited)) return Effect.void
    Deferred.doneUnsafe(held.inputFailed, Effect.failCause(cause))
    return end(held)
  })

const outputsOf = (child: Child, descriptors: ReadonlyArray<Descriptor>): ReadonlyMap<number, Bytes> =>
  new Map([...child.outputs].map(([fd, bytes]) => [fd, through(bytes, descriptors[fd])]))

const through = (bytes: Bytes, descriptor: Descriptor | undefined): Bytes =>
  descriptor?.sink === undefined ? bytes : Stream.transduce(bytes, descriptor.sink)

const toHandle = (
  { command }: ChildProcess.StandardCommand,
  held: Held,
  descriptors: ReadonlyArray<Descriptor>,
  outputs: ReadonlyMap<number, Bytes>
): Handle => {
  const { child, inputFailed, options } = held
  const output = (fd: number) => outputs.get(fd) ?? Stream.empty
  const input = (fd: number) => inputOf(child, descriptors[fd], fd)
  return ChildProcessSpawner.makeHandle({
    pid: child.pid,
    exitCode: Effect.flatMap(Deferred.await(child.exited), (exited) =>
      Deferred.isDoneUnsafe(inputFailed) ? Deferred.await(inputFailed) : toExitCode(command, exited)
    ),
    isRunning: Effect.map(Deferred.isDone(child.exited), (exited) => !exited),
    kill: (kill) => ProcessGroup.terminate(child.group, { ...options, ...kill }),
    stdin: input(0),
    stdout: output(1),
    stderr: output(2),
    all: Stream.merge(output(1), output(2)),
    getInputFd: (fd) => (fd > 2 ? input(fd) : Sink.drain),
    getOutputFd: (fd) => (fd > 2 ? output(fd) : Stream.empty),
    unref: Effect.as(setReferenced(held, false), setReferenced(held, true))
  })
}

const inputOf = ({ pipes }: Child, descriptor: Descriptor | undefined, fd: number): Input => {
  const pipe = pipes.get(fd)
  if (pipe === undefined || !descriptor?.isInput) return Sink.drain
  return writeTo(pipe, fd === 0 ? "stdin" : `fd${fd}`, descriptor.endOnDone ?? true)
}

const setReferenced = (held: Held, referenced: boolean) =>
  Effect.sync(() => {
    held.isReferenced = referenced
    held.child.setReferenced(referenced)
  })
