import { Location, Permission } from "@haft/core"
import * as Testing from "@haft/core/testing"
import { Permissions, PolicyStore, ShellCommand } from "@haft/policy"
import { Effect, Layer } from "effect"

/** Nobody is there to be asked, so that whatever the rules leave open is refused. */
const Policy = Permissions.layer({
  location: Location.Ref.make("/project"),
  rules: [
    { action: "shell", resource: "git *", effect: "allow" },
    { action: "shell", resource: "cat *", effect: "allow" },
    { action: "shell", resource: "> build/*", effect: "allow" },
    { action: "shell", resource: "git push*", effect: "deny" }
  ]
})

const commands = [
  "git status",
  "git log -1 > build/log",
  "git status; rm -rf src",
  'git commit -m "$(cat message)"',
  "env GIT_DIR=x git log",
  "bash -c 'git push'",
  "git $SUBCOMMAND",
  "git log > .git/hooks/pre-commit",
  "git log ("
]

const program = Effect.gen(function* () {
  const permission = yield* Permission.Service
  for (const command of commands) {
    const request = { action: "shell", resources: [command], save: [], metadata: {} }
    const outcome = yield* Effect.match(permission.assert(request, Testing.context), {
      onSuccess: () => "allowed",
      onFailure: ({ rule }) => (rule === undefined ? "has to be asked for" : `denied by the rule "${rule}"`)
    })
    const read = yield* ShellCommand.parse(command)
    console.log(`${command}\n  ${outcome}`)
    if (read._tag === "Unparsed") console.log(`  not read: ${read.reason}`)
    else for (const { text } of read.parts) console.log(`  - ${text}`)
  }
})

await Effect.runPromise(program.pipe(Effect.provide(Policy.pipe(Layer.provide(PolicyStore.layerMemory)))))
