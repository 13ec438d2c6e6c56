/** New references to outputs. */
import * as ManagedOutput from "@haft/core/ManagedOutput"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Hex from "effect/encoding/Hex"

/** So many that nobody guesses one, and no two are ever the same. */
const randomBytes = 16

export const makeRef = (): ManagedOutput.Ref =>
  ManagedOutput.Ref.make(`out_${Hex.encode(SecureRandom.randomBytesUnsafe(randomBytes))}`)
