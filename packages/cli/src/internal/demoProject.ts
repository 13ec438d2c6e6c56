/** The sample project of the demo: a few files, rules about them, and a plugin that is replaced while it is used. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"

/** The plugin, in one version or the next. Only its words differ. */
export const pluginText = (version: 1 | 2): string => `import { PromisePlugin } from "@haft/plugin-api"

const none = { type: "object", properties: {}, additionalProperties: false }

export default PromisePlugin.make({
  id: "demo",
  version: "${version}.0.0",
  install: ({ register }) =>
    register({
      weather: { description: "Tell the weather.", input: none, execute: () => "Version ${version} says: ${version === 1 ? "rain" : "sun"}" },
      report: {
        description: "Write a long report.",
        input: none,
        execute: () => Array.from({ length: 110_000 }, (_, line) => \`line \${line + 1}: \${"all is well ".repeat(3)}\${line === 77_776 ? "NEEDLE" : ""}\`).join("\\n")
      },
      wait: {
        description: "Wait until somebody ends it.",
        input: none,
        execute: (_, { progress, signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener("abort", () => reject(signal.reason))
            progress({ message: "waiting" })
          })
      }
    })
})
`

const config = `{
  // Edits in src are allowed, nothing may touch secrets, and this command runs without a question.
  "permissions": [
    { "action": "edit", "resource": "src/*", "effect": "allow" },
    { "action": "shell", "resource": "wc *", "effect": "allow" },
    { "action": "*", "resource": "secrets/*", "effect": "deny" }
  ]
}
`

const files: ReadonlyArray<readonly [string, string]> = [
  ["haft.json", config],
  ["README.md", "# Sample\n\nA project for the demo. It says hello.\n"],
  ["src/greeting.txt", "hello, wrold\n"],
  ["src/farewell.txt", "goodbye, world\n"],
  ["secrets/key.txt", "nobody reads this\n"]
]

/** Where the plugin is, relative to the project. */
export const pluginFile = ".haft/plugins/demo.js"

/** What is there from a demo that was cut off stays as it is. */
export const prepare = Effect.fnUntraced(function* (root: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  for (const [name, text] of [...files, [pluginFile, pluginText(1)] as const]) {
    const file = path.join(root, name)
    if (yield* fileSystem.exists(file)) continue
    yield* fileSystem.makeDirectory(path.dirname(file), { recursive: true })
    yield* fileSystem.writeFileString(file, text)
  }
})
