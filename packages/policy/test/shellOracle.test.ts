import { assert, describe, it } from "@effect/vitest"
import { ShellCommand } from "@haft/policy"
import { Effect, Schema } from "effect"
// @ts-expect-error -- Tests are not emitted, so the path that could not be rewritten never is.
import * as Resource from "../src/internal/shellResource.ts"
// @ts-expect-error -- Tests are not emitted, so the path that could not be rewritten never is.
import * as Uncertain from "../src/internal/uncertainText.ts"
import { witnessed } from "./support/bash.ts"

/** Many processes, on a busy machine. */
const longTime = 240_000

/** What bash ran that no part stands for; a part that is not known stands for anything. */
const unseen = Effect.fnUntraced(function* (command: string, answer: 0 | 1) {
  const parsed = yield* ShellCommand.parse(command)
  if (parsed._tag === "Unparsed" || parsed.parts.some(({ kind }) => kind === "unknown")) return []
  const ran = yield* Effect.forEach(witnessed(command, answer), (line) => ShellCommand.parse(line))
  const texts = parsed.parts.map(({ text }) => Resource.textOf(text))
  return ran
    .flatMap((one) => (one._tag === "Parts" ? (one.parts[0] ?? []) : []))
    .map(({ text }) => text)
    .filter((text) => !texts.some((of) => Uncertain.mightMatch([...text], of)))
})

const commands = [
  "p1 a; p2 'b c' && p3 \"d\"e || p4",
  "p1 $(p2 x) `p3 y` <(p4)",
  'p1 "$(p2 "$(p3)")"',
  "x=1 p1 $x; y=$(p2) z=2",
  "if p1; then p2; else p3; fi; while p4; do break; done",
  "for i in a b; do p1 $i; done; case a in a) p2;; esac",
  'f() { p1 "$@"; }; f a b; ( p2 ); { p3; } | p4',
  "p1 <<E\n$(p2)\nE\np3 <<'E'\n$(p4)\nE\n",
  "eval 'p1 a' 'b'; command p2 c; exec p3 d",
  "p1 a\\ b $'c\\nd' \"e\\$f\" g\\\nh {} [ '*'",
  "! p1 & wait; p2 |& p3; p4 2>&1 > out",
  "echo ${x:-$(p1)} ${y/$(p2)/z} > /dev/null; [[ -n $(p3) ]]",
  "trap 'p1 a' EXIT; p2 &\np3#x #p4"
]

describe("what a real bash runs is among the parts", () => {
  it.effect(
    "of commands of every form",
    () =>
      Effect.gen(function* () {
        for (const command of commands) {
          assert.isNotEmpty(witnessed(command, 0), command)
          for (const answer of [0, 1] as const) assert.deepStrictEqual(yield* unseen(command, answer), [], command)
        }
      }),
    longTime
  )

  it.effect("and would be missed if it were not", () =>
    Effect.gen(function* () {
      const parsed = yield* ShellCommand.parse("p1 a")
      assert(parsed._tag === "Parts")
      assert.deepStrictEqual(witnessed("p1 a; p2 'b c'", 0), ["'p1' 'a'", "'p2' 'b c'"])
      assert.isFalse(Uncertain.mightMatch([..."p2 'b c'"], Resource.textOf(parsed.parts[0]?.text ?? "")))
    })
  )

  const pieces = Schema.Literals([
    ..."p1|p2|p3 a| | |;|&&|\n|(|)|{ |; }|$(|`|'|\"|\\|\\\n|$x|${x:-|}|<<E\n|\nE\n|#|if |; then |; fi".split("|"),
    ..."for i in ,; do ,; done,case a in ,a) ,;;, esac,!,time ,[[ , ]],((,)),<(,> f,< f,<<< ,x=,x=1 ,*,~".split(","),
    ..."{a,b} f() ;coproc ;eval ;$';\\n;é;[;]".split(";"),
    "|",
    "||"
  ])

  it.effect.prop(
    "of texts that are put together at random",
    { texts: Schema.Array(Schema.Array(pieces).check(Schema.isMaxLength(9))).check(Schema.isMaxLength(6)) },
    ({ texts }) =>
      Effect.gen(function* () {
        for (const text of texts.map((some) => `p0 ${some.join("")}`)) {
          assert.deepStrictEqual(yield* unseen(text, 0), [], text)
        }
      }),
    { timeout: longTime, arbitrary: { runs: 60, seed: "shell" } }
  )
})
