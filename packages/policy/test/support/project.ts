/** A project in a directory, with one tool that changes files in it, on stores that survive their process. */
import { Location, Permission, Tool, ToolFailure, Tools } from "@haft/core"
import * as NodeOwners from "@haft/node/NodeOwners"
import * as NodeSqlClient from "@haft/node/NodeSqlClient"
import { Permissions } from "@haft/policy"
import * as PolicySql from "@haft/policy/sql"
import { ApplicationTools, OutputBounds, OutputStores, ToolRegistry } from "@haft/registry"
import * as RegistrySql from "@haft/registry/sql"
import * as Testing from "@haft/registry/testing"
import { Effect, Layer, Schema } from "effect"
import { createHash } from "node:crypto"
import * as Fs from "node:fs"
import { join } from "node:path"

const Edit = Schema.Struct({ path: Schema.String, find: Schema.String, replace: Schema.String })

/** Asks before it looks into the file. */
const makeEdit = (root: string) =>
  Effect.map(Permission.Service, (permission) =>
    Tool.annotate(
      Tool.make({
        description: "Replace text in a file",
        input: Edit,
        output: Schema.String,
        execute: Effect.fnUntraced(
          function* ({ find, path, replace }, context) {
            const file = join(root, path)
            yield* permission.assert(
              {
                action: "edit",
                resources: [path],
                save: [Permission.literal(path)],
                metadata: { find, replace },
                target: identityOf(file)
              },
              context
            )
            const text = Fs.readFileSync(file, "utf8")
            if (!text.includes(find)) return yield* ToolFailure.notFound({ message: "The text is not in the file" })
            Fs.writeFileSync(file, text.split(find).join(replace))
            return "done"
          },
          Effect.catchTags({ "Permission.DeniedError": ToolFailure.denied })
        )
      }),
      { asksFirst: true, determinism: "side_effectful" }
    )
  )

const identityOf = (file: string): string =>
  Fs.existsSync(file) ? createHash("sha256").update(Fs.readFileSync(file)).digest("hex") : "absent"

const layerEdit = (root: string) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const tools = yield* Tools.Service
      yield* tools.register({ edit: yield* makeEdit(root) })
    })
  )

const layerStores = (directory: string) =>
  Layer.merge(
    RegistrySql.layerSql({ owners: NodeOwners.make({ directory: join(directory, "owners") }) }),
    PolicySql.layerSql
  ).pipe(Layer.provide(NodeSqlClient.layer({ filename: join(directory, "haft.db") })))

/** The tool works in `directory/root`; the stores are beside it. */
export const layer = (directory: string, options: Partial<Permissions.Options> = {}) =>
  Layer.fresh(
    layerEdit(join(directory, "root")).pipe(
      Layer.provideMerge(Permissions.layer({ location: Location.Ref.make(directory), ...options })),
      Layer.provideMerge(ToolRegistry.layer),
      Layer.provideMerge(Layer.mergeAll(ApplicationTools.layer, OutputBounds.layer(), layerStores(directory))),
      Layer.provide(OutputStores.layerMemory())
    )
  )

export const settle = Effect.fnUntraced(function* (input: typeof Edit.Type, options?: Testing.RequestOptions) {
  const registry = yield* ToolRegistry.Service
  const turn = yield* registry.materialize()
  return yield* turn.settle(Testing.request("edit", input, options))
})
