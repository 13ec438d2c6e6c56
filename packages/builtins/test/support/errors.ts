/** Compares errors field by field: two errors of one class are otherwise alike if their messages are. */
import { assert } from "@effect/vitest"

export const assertSameError = (actual: Error, expected: Error): void =>
  assert.deepStrictEqual({ ...actual, name: actual.name }, { ...expected, name: expected.name })
