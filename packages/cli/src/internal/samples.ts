/** What `haft init` writes. */

/** Every setting, as its default or as an example. */
export const config = `{
  // Who may do what without asking; the last rule that matches decides. Reading and searching in the project is
  // allowed, and everything else is asked about.
  "permissions": [
    // { "action": "edit", "resource": "src/*", "effect": "allow" },
    // { "action": "shell", "resource": "git status", "effect": "allow" },
    // { "action": "*", "resource": "secrets/*", "effect": "deny" }
  ],

  // Tools that are not offered.
  "hide": [],

  // Folders of plugins. A plugin runs with all rights of this program: load what you trust.
  "plugins": [".haft/plugins"],

  // Commands run isolated where the system can do that, without a network.
  "shell": { "isolation": "preferred", "network": false }

  // Which model "haft run" asks. Keys come from ANTHROPIC_API_KEY or OPENAI_API_KEY.
  // "model": { "provider": "anthropic", "name": "claude-sonnet-4-5" }
}
`

/** In JavaScript, so that it runs wherever the program does. */
export const plugin = `/** A plugin: change it while "haft serve" runs, and the tool changes with it. */
import { PromisePlugin } from "@haft/plugin-api"

export default PromisePlugin.make({
  id: "hello",
  install: ({ register }) =>
    register({
      hello: {
        description: "Greet somebody by name.",
        input: {
          type: "object",
          properties: { name: { type: "string", description: "Whom to greet" } },
          required: ["name"],
          additionalProperties: false
        },
        execute: ({ name }) => \`Hello, \${name}!\`
      }
    })
})
`
