/** A thread that keeps exchanging a directory for a link, for as long as a Scope is open. */
import { Effect } from "effect"
import { Worker } from "node:worker_threads"

export const swapping = (path: string, target: string) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly worker: Worker; readonly stop: Int32Array }>((resume) => {
      const stop = new Int32Array(new SharedArrayBuffer(4))
      const worker = new Worker(new URL("../fixtures/swapper.ts", import.meta.url), {
        workerData: { path, target, stop }
      })
      worker.once("message", () => resume(Effect.succeed({ worker, stop })))
    }),
    ({ stop, worker }) =>
      Effect.promise(() => {
        Atomics.store(stop, 0, 1)
        return worker.terminate()
      })
  )
