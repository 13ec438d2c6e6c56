import { assert, layer } from "@effect/vitest"
import * as NodeServices from "@haft/node/NodeServices"
import { Effect, FileSystem, Path, Stdio, Terminal } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"

layer(NodeServices.layer)("NodeServices", (it) => {
  it.effect("one layer provides files, paths, processes, standard streams and the terminal", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
      const stdio = yield* Stdio.Stdio
      const terminal = yield* Terminal.Terminal
      const file = path.join(yield* fs.makeTempDirectoryScoped(), "file")
      yield* fs.writeFileString(file, "written here, read there")
      assert.strictEqual(yield* spawner.string(ChildProcess.make("cat", [file])), "written here, read there")
      assert.deepStrictEqual(yield* stdio.args, process.argv.slice(2))
      assert.isAtLeast(yield* terminal.columns, 0)
    })
  )
})
