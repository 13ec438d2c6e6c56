/** An output store that a test can look into, hold up and break. */
import { ManagedOutput, OutputStore, type Session } from "@haft/core"
import { Context, Effect, Layer, Ref, Stream } from "effect"

export interface Kept {
  readonly sessionID: Session.ID
  readonly mimeType: string
  readonly bytes: Uint8Array
}

/** Happens after the bytes were read and before they are kept, with the number of outputs kept so far. */
export type Meanwhile = (count: number) => Effect.Effect<void, OutputStore.StorageError>

export interface Interface {
  /** What is kept and was not released, oldest first. */
  readonly outputs: Effect.Effect<ReadonlyArray<Kept>>
  readonly find: (ref: ManagedOutput.Ref) => Effect.Effect<Kept | undefined>
  readonly before: Ref.Ref<Meanwhile>
}

export class Outputs extends Context.Service<Outputs, Interface>()("test/KeptOutputs") {}

export const storageError = new OutputStore.StorageError({ operation: "retain" })

const make = Effect.gen(function* () {
  const kept = new Map<ManagedOutput.Ref, Kept>()
  const before = yield* Ref.make<Meanwhile>(() => Effect.void)
  const outputs = {
    before,
    outputs: Effect.sync(() => [...kept.values()]),
    find: (ref: ManagedOutput.Ref) => Effect.sync(() => kept.get(ref))
  }
  const store: OutputStore.Interface = {
    retain: Effect.fnUntraced(function* (sessionID, { bytes, mimeType }) {
      const whole = Buffer.concat(yield* Stream.runCollect(Stream.map(bytes, (chunk) => chunk.slice())))
      yield* (yield* Ref.get(before))(kept.size)
      const ref = ManagedOutput.Ref.make(`out_${`${nextNumber++}`.padStart(longestRef, "0")}`)
      kept.set(ref, { sessionID, mimeType, bytes: whole })
      return { ref, bytes: whole.length, lines: linesOf(whole.toString()) }
    }),
    open: () => Effect.die("nobody reads here"),
    search: () => Stream.die("nobody searches here"),
    release: (_, refs) => Effect.sync(() => refs?.forEach((ref) => kept.delete(ref))),
    sweep: Effect.succeed(0)
  }
  return Context.make(Outputs, outputs).pipe(Context.add(OutputStore.Service, store))
})

let nextNumber = 0

/** Of the characters after `out_`, as many as a reference may have: longer ones leave less room for anything else. */
const longestRef = 64

/** A line ends with a line feed or with the text. */
export const linesOf = (text: string): number => text.split("\n").length - (text === "" || text.endsWith("\n") ? 1 : 0)

export const layer = Layer.fresh(Layer.effectContext(make))
