/** The process behind the `haft` command. */
import * as NodeRuntime from "@haft/node/NodeRuntime"
import * as NodeServices from "@haft/node/NodeServices"
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import * as Haft from "../Haft.ts"

Effect.flatMap(Stdio.Stdio, ({ args }) => Effect.flatMap(args, Haft.run)).pipe(
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain
)
