/** For what is only cleaning up. */
import { codeOf } from "./attempt.ts"

/** What the system does not let us take away stays; what it was for is over by then. */
export const tidy = (step: () => void): void => {
  try {
    step()
  } catch (cause) {
    if (codeOf(cause) === undefined) throw cause
  }
}
