/** All built-in tools in one line. Each can also be made and registered alone. */
import * as ManagedOutput from "@haft/core/ManagedOutput"
import type * as OutputStore from "@haft/core/OutputStore"
import type * as Permission from "@haft/core/Permission"
import type * as Tool from "@haft/core/Tool"
import * as Tools from "@haft/core/Tools"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ApplyPatch from "./ApplyPatch.ts"
import * as Edit from "./Edit.ts"
import * as Fetch from "./Fetch.ts"
import * as Glob from "./Glob.ts"
import * as Grep from "./Grep.ts"
import type * as LocationFetch from "./LocationFetch.ts"
import type * as LocationFiles from "./LocationFiles.ts"
import type * as LocationJobs from "./LocationJobs.ts"
import type * as LocationSearch from "./LocationSearch.ts"
import type * as LocationShell from "./LocationShell.ts"
import * as Process from "./Process.ts"
import * as Question from "./Question.ts"
import type * as Questions from "./Questions.ts"
import * as Read from "./Read.ts"
import * as ReadOutput from "./ReadOutput.ts"
import * as Shell from "./Shell.ts"
import * as Todo from "./Todo.ts"
import type * as Todos from "./Todos.ts"
import * as Write from "./Write.ts"

/** Registers every tool under its usual name, for as long as the layer lives. */
export const layer: Layer.Layer<
  never,
  Tool.RegistrationError,
  | LocationFetch.Service
  | LocationFiles.Service
  | LocationJobs.Service
  | LocationSearch.Service
  | LocationShell.Service
  | OutputStore.Service
  | Permission.Service
  | Questions.Service
  | Todos.Service
  | Tools.Service
> = Layer.effectDiscard(
  Effect.gen(function* () {
    const tools = yield* Tools.Service
    yield* tools.register({
      read: yield* Read.make,
      glob: yield* Glob.make,
      grep: yield* Grep.make,
      write: yield* Write.make,
      edit: yield* Edit.make,
      apply_patch: yield* ApplyPatch.make,
      shell: yield* Shell.make,
      process: yield* Process.make,
      fetch: yield* Fetch.make,
      todo: yield* Todo.make,
      question: yield* Question.make,
      [ManagedOutput.readerName]: yield* ReadOutput.make
    })
  })
)
