/** Commands that feed each other, as one handle. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as PlatformError from "effect/PlatformError"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { badArgument, type Handle, spawn as spawnOne, type Spawned } from "./processChild.ts"
import { descriptorOf, stdinConfigOf } from "./processCommand.ts"
import type { Bytes } from "./processPipes.ts"

/** A command that is fed by the one before it. */
interface Link {
  readonly command: ChildProcess.StandardCommand
  readonly pipe: ChildProcess.PipeOptions
}

type Spawning = Effect.Effect<Handle, PlatformError.PlatformError, Scope.Scope>

/** A failure or interruption halfway ends what has been started already, without waiting for the caller's Scope. */
export const spawn = (command: ChildProcess.Command): Spawning =>
  Effect.gen(function* () {
    // In parallel, so that a pipeline of stubborn commands takes no longer to end than one of them.
    const scope = yield* Scope.fork(yield* Effect.scope, "parallel")
    return yield* spawnAll(command, scope).pipe(
      Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, exit)))
    )
  })

const spawnAll = Effect.fnUntraced(function* (command: ChildProcess.Command, scope: Scope.Scope) {
  const [first, ...links] = flatten(command)
  let last = yield* spawnIn(scope, first.command)
  const handles = [last.handle]
  for (const link of links) {
    last = yield* spawnIn(scope, yield* fedBy(last, link, scope))
    handles.push(last.handle)
  }
  return links.length === 0 ? last.handle : combine(handles, last.handle)
})

const spawnIn = (scope: Scope.Scope, command: ChildProcess.StandardCommand) =>
  Effect.flatMap(Scope.fork(scope), (own) => Scope.provide(spawnOne(command), own))

const flatten = (command: ChildProcess.Command): readonly [Link, ...ReadonlyArray<Link>] => {
  if (ChildProcess.isStandardCommand(command)) return [{ command, pipe: {} }]
  const [first, ...left] = flatten(command.left)
  const [{ command: fed }, ...right] = flatten(command.right)
  return [first, ...left, { command: fed, pipe: command.options }, ...right]
}

const fedBy = Effect.fnUntraced(function* (
  source: Spawned,
  { command, pipe: { from = "stdout", to = "stdin" } }: Link,
  scope: Scope.Scope
) {
  const carried = descriptorsCarriedBy(from)
  const bytes = from === "all" ? source.handle.all : source.outputs.get(carried[0])
  if (bytes === undefined) return yield* Effect.fail(badArgument(`nothing to read from ${from}`))
  yield* Scope.provide(discardOthers(source, carried), scope)
  const stream = Stream.ensuring(
    bytes,
    Effect.sync(() => source.closePipes(carried))
  )
  return ChildProcess.make(command.command, command.args, { ...command.options, ...inputFrom(stream, command, to) })
})

const descriptorsCarriedBy = (from: ChildProcess.PipeFromOption): readonly [number, ...ReadonlyArray<number>] => {
  if (from === "stdout") return [1]
  if (from === "stderr") return [2]
  return from === "all" ? [1, 2] : [descriptorOf(from) ?? Number.NaN]
}

/** Nobody can reach these outputs, and a full pipe would block their writer. */
const discardOthers = ({ outputs }: Spawned, carried: ReadonlyArray<number>) =>
  Effect.forEach(
    [...outputs].filter(([fd]) => !carried.includes(fd)),
    ([, bytes]) => Effect.forkScoped(Effect.ignore(Stream.runDrain(bytes))),
    { discard: true }
  )

const inputFrom = (
  stream: Bytes,
  { options: { additionalFds, stdin } }: ChildProcess.StandardCommand,
  to: ChildProcess.PipeToOption
): ChildProcess.CommandOptions => {
  if (to === "stdin") return { stdin: { ...stdinConfigOf(stdin), stream } }
  const target = additionalFds?.[to]
  const fed: ChildProcess.AdditionalFdConfig =
    target?.type === "duplex" ? { ...target, stream } : { type: "input", stream }
  return { additionalFds: { ...additionalFds, [to]: fed } }
}

const combine = (handles: ReadonlyArray<Handle>, last: Handle): Handle =>
  ChildProcessSpawner.makeHandle({
    ...last,
    stdin: handles[0]?.stdin ?? last.stdin,
    // The last command first: it must not take the end of its killed writer for the end of the data.
    kill: (options) =>
      Effect.forEach(handles.toReversed(), (handle) => handle.kill(options), {
        concurrency: "unbounded",
        discard: true
      }),
    unref: Effect.map(
      Effect.forEach(handles, ({ unref }) => unref),
      (rerefs) => Effect.forEach(rerefs, (reref) => reref, { discard: true })
    )
  })
