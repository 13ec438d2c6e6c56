import { PromisePlugin } from "@haft/plugin-api"

export default PromisePlugin.make({
  id: "dice",
  install: ({ register }) =>
    register({
      roll: {
        description: "Roll a die",
        input: { type: "object", properties: { sides: { type: "integer", minimum: 2 } }, required: ["sides"] },
        execute: async ({ sides }) => 1 + Math.floor(Math.random() * Number(sides))
      }
    })
})
