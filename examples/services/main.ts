import { NodeRuntime, NodeServices } from "@haft/node"
import { Console, Effect, FileSystem, Path } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"

const program = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner

  const directory = yield* files.makeTempDirectoryScoped()
  yield* files.writeFileString(path.join(directory, "greeting.txt"), "hello\n")

  const command = ChildProcess.make("cat", ["greeting.txt"], { cwd: directory })
  yield* Console.log(yield* spawner.lines(command))
})

NodeRuntime.runMain(program.pipe(Effect.scoped, Effect.provide(NodeServices.layer)))
