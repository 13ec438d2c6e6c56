/** What the scripted model of the demo does, turn by turn. It depends on the conversation alone, so it can be cut off. */
import * as Message from "@haft/runner/Message"
import * as Model from "@haft/runner/Model"
import * as ScriptedModel from "@haft/runner/ScriptedModel"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

const { call, say } = ScriptedModel

/** `reload` replaces the plugin, and returns when its next version is there. */
export const scriptOf = (reload: Effect.Effect<void>): ScriptedModel.Script => [
  [
    ...say("I look around first, and search for the greeting."),
    call("read", { path: "." }, "look"),
    call("grep", { pattern: "hello" }, "search")
  ],
  [...say("The greeting has a typing error. I read it."), call("read", { path: "src/greeting.txt" }, "read")],
  [
    ...say("I mend it, and write a note in the wrong place at the same time."),
    call("edit", { path: "src/greeting.txt", edits: [{ old: "wrold", new: "world" }] }, "mend"),
    call("write", { path: "secrets/note.txt", content: "mended" }, "misplace")
  ],
  [
    ...say("That was refused, so the note goes where I may write. Then I count words."),
    call("write", { path: "src/note.txt", content: "mended\n" }, "note"),
    call("shell", { command: "wc -w src/greeting.txt src/farewell.txt" }, "count")
  ],
  [...say("Now a tool of the plugin that returns 5 MB."), call("report", {}, "report")],
  (request) => [
    ...say("Only a preview came. I search the rest, and read the place."),
    call("read_output", { ref: referenceIn(request), search: "NEEDLE" }, "needle"),
    call("read_output", { ref: referenceIn(request), line: 77_777, limit: 2 }, "page")
  ],
  [...say("What does the plugin say about the weather?"), call("weather", {}, "before")],
  () =>
    after(reload, [
      ...say("I ask again. Meanwhile the plugin is replaced, so what I was offered is stale."),
      call("weather", {}, "stale"),
      Model.Part.Finish({ stop: "calls", usage: Message.noUsage })
    ]),
  [
    ...say("I call what is offered now, and a tool that never ends by itself."),
    call("weather", {}, "again"),
    call("wait", {}, "wait")
  ],
  say("The greeting is mended, the note is written, and the call that hung was interrupted. I am done.")
]

const after = (effect: Effect.Effect<void>, parts: ReadonlyArray<Model.Part>): Stream.Stream<Model.Part> =>
  Stream.unwrap(Effect.as(effect, Stream.fromIterable(parts)))

/** Of the output that was kept last. */
const referenceIn = ({ messages }: Model.Request): string =>
  JSON.stringify(messages)
    .match(/out_[A-Za-z0-9_-]{16,64}/g)
    ?.at(-1) ?? ""
