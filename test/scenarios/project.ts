/** A project on the disk with every built-in tool, the rules that a test gives, and a person who answers. */
import {
  BuiltInTools,
  LocationFetch,
  LocationFiles,
  LocationJobs,
  LocationSearch,
  LocationShell,
  Questions,
  Todos
} from "@haft/builtins"
import { Location, Settlement } from "@haft/core"
import { NodeChildProcessSpawner } from "@haft/node"
import { Approvals, Permissions, PolicyStore, Protected, type Rule } from "@haft/policy"
import { ToolRegistry } from "@haft/registry"
import * as Testing from "@haft/registry/testing"
import { Context, Effect, Fiber, Layer, Queue, Schedule, Stream } from "effect"
import * as Fs from "node:fs"
import { tmpdir } from "node:os"
import * as Path from "node:path"

export interface Options {
  readonly rules?: ReadonlyArray<Rule.Rule>
  readonly shell?: LocationShell.Options
}

const directory = Effect.acquireRelease(
  Effect.sync(() => Fs.mkdtempSync(Path.join(Fs.realpathSync(tmpdir()), "haft-project-"))),
  (path) => Effect.sync(() => Fs.rmSync(path, { recursive: true, force: true }))
)

const protection = Protected.make()

/** As a host puts them together. */
const layer = (root: string, { rules = [], shell }: Options) => {
  const protectedPaths = (path: string) => protection("edit", path) !== undefined
  return BuiltInTools.layer.pipe(
    Layer.provide(Layer.mergeAll(LocationFetch.layer(), LocationSearch.layer(), Questions.layer(), Todos.layerMemory)),
    Layer.provide(Layer.provideMerge(LocationJobs.layer(), LocationShell.layer({ protectedPaths, ...shell }))),
    Layer.provide(NodeChildProcessSpawner.layer),
    Layer.provide(LocationFiles.layer({ root })),
    Layer.provideMerge(Permissions.layer({ location: Location.Ref.make(root), rules })),
    Layer.provide(PolicyStore.layerMemory),
    Layer.provideMerge(Testing.layer)
  )
}

export const makeProject = Effect.fnUntraced(function* (options: Options = {}) {
  const root = yield* directory
  const context = yield* Layer.build(Layer.fresh(layer(root, options)))
  const approvals = Context.get(context, Approvals.Service)
  const { settle } = yield* Context.get(context, ToolRegistry.Service).materialize()
  const request = Testing.numbered()
  const at = (path: string) => Path.join(root, path)
  const call = (name: string, input: unknown) => settle(request(name, input))
  return {
    root,
    at,
    write: (path: string, content: string) => {
      Fs.mkdirSync(Path.dirname(at(path)), { recursive: true })
      Fs.writeFileSync(at(path), content)
    },
    call,
    /** A command that runs until it is to finish, which it does with another one. */
    waiting: Effect.fnUntraced(function* (last = "true") {
      const command = `touch begun; until test -e written; do sleep 0.05; done; ${last}`
      const running = yield* Effect.forkChild(call("shell", { command }), { startImmediately: true })
      yield* Effect.retry(
        Effect.suspend(() => (Fs.existsSync(at("begun")) ? Effect.void : Effect.fail("not yet"))),
        { times: 2_000, schedule: Schedule.spaced("10 millis") }
      )
      const finished = Effect.suspend(() => {
        Fs.writeFileSync(at("written"), "")
        return Fiber.join(running)
      })
      return { finished }
    }),
    approvals,
    /** Somebody gives these answers, one after the other, then refuses, and reads what is asked. */
    answering: Effect.fnUntraced(function* (...replies: ReadonlyArray<Approvals.Reply>) {
      const asked = yield* Queue.unbounded<Approvals.Pending>()
      const left = [...replies]
      yield* Effect.forkScoped(
        Stream.runForEach(approvals.changes, (change) => {
          if (change._tag === "Ended") return Effect.void
          const reply = left.shift() ?? Approvals.reject()
          return Effect.andThen(
            Queue.offer(asked, change.pending),
            Effect.orDie(approvals.reply(change.pending, reply))
          )
        }),
        { startImmediately: true }
      )
      return asked
    })
  }
})

/** What a model reads of it. */
export const told = (settlement: Settlement.Settlement): string =>
  Settlement.content(settlement)
    .map((part) => (part._tag === "Text" ? part.text : part.mimeType))
    .join("\n")
