/** How the command shows its help, and what is wrong with a command line. */
import * as Console from "effect/Console"
import * as CliOutput from "effect/cli/CliOutput"
import * as Sentences from "./sentences.ts"

/** What is wrong stands alone, on standard error: the whole help would push it out of sight, and into a script's answer. */
export const presenter: CliOutput.Presenter = {
  present: (event) =>
    event._tag === "InvalidInvocation"
      ? Console.error(
          Sentences.wrongUsage(
            event.errors.map(({ message }) => message),
            event.commandPath
          )
        )
      : CliOutput.defaultPresenter.present(event)
}
