/**
 * Counts line feeds. Only WebAssembly reaches the instructions that compare sixteen bytes at once: a loop over numbers
 * takes six times as long, and thirty times as long before it is compiled.
 */

export const lineFeed = 10

/** Bytes that are counted at once: the memory of the program, and little enough to stay close to the processor. */
const blockBytes = 65_536

/** Bytes that are compared at once. */
const vectorBytes = 16

export const countLineFeeds = (bytes: Uint8Array): number => {
  const { count, memory } = (program ??= load() ?? loop())
  let sum = 0
  for (let start = 0; start < bytes.length; start += blockBytes) {
    const block = bytes.subarray(start, start + blockBytes)
    const end = Math.ceil(block.length / vectorBytes) * vectorBytes
    memory.set(block)
    memory.fill(0, block.length, end)
    sum += count(end)
  }
  return sum
}

interface Program {
  readonly memory: Uint8Array
  /** Of the first bytes of the memory: at least one vector, and whole ones. */
  readonly count: (end: number) => number
}

let program: Program | undefined

/** Nothing where an engine runs no WebAssembly, or may not reserve the addresses around its memory. */
const load = (): Program | undefined => {
  if (typeof WebAssembly === "undefined") return undefined
  try {
    const { count, memory } = new WebAssembly.Instance(new WebAssembly.Module(binary)).exports
    return { count, memory: new Uint8Array(memory.buffer) }
  } catch {
    return undefined
  }
}

const loop = (): Program => {
  const memory = new Uint8Array(blockBytes)
  return {
    memory,
    count: (end) => memory.subarray(0, end).reduce((sum, byte) => (byte === lineFeed ? sum + 1 : sum), 0)
  }
}

/** What `binary` needs of the engine, and gives. No library declares it for Node. */
declare const WebAssembly:
  | undefined
  | {
      readonly Module: new (binary: Uint8Array) => object
      readonly Instance: new (module: object) => {
        readonly exports: { readonly memory: { readonly buffer: ArrayBuffer }; readonly count: Program["count"] }
      }
    }

const i32 = 0x7f
const simd = 0xfd

const named = (name: string): ReadonlyArray<number> => [name.length, ...new TextEncoder().encode(name)]
const section = (id: number, content: ReadonlyArray<number>): ReadonlyArray<number> => [id, content.length, ...content]

/**
 *     (func (export "count") (param $end i32) (result i32) (local $at i32) (local $sum i32)
 *       (loop $next
 *         (local.set $sum (i32.add (local.get $sum)
 *           (i32.popcnt (i8x16.bitmask (i8x16.eq (v128.load (local.get $at)) (i8x16.splat (i32.const 10)))))))
 *         (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $end))))
 *       (local.get $sum))
 */
const body: ReadonlyArray<number> = [
  [1, 2, i32], // two locals
  [0x03, 0x40], // loop
  [0x20, 2, 0x20, 1, simd, 0x00, 4, 0, 0x41, lineFeed, simd, 0x0f], // get sum, get at, load, const, splat
  [simd, 0x23, simd, 0x64, 0x69, 0x6a, 0x21, 2], // eq, bitmask, popcnt, add, set sum
  [0x20, 1, 0x41, vectorBytes, 0x6a, 0x22, 1, 0x20, 0, 0x49, 0x0d, 0], // get at, const, add, tee at, get end, lt, br_if
  [0x0b, 0x20, 2, 0x0b] // end, get sum, end
].flat()

/** One type, one function of it, one page of memory, and both by their names. */
const binary = Uint8Array.from(
  [
    [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    section(1, [1, 0x60, 1, i32, 1, i32]),
    section(3, [1, 0]),
    section(5, [1, 0, 1]),
    section(7, [2, ...named("memory"), 2, 0, ...named("count"), 0, 0]),
    section(10, [1, body.length, ...body])
  ].flat()
)
