import { assert, describe, it } from "@effect/vitest"
import { ShellCommand } from "@haft/policy"
import { Effect } from "effect"

const read = Effect.fnUntraced(function* (command: string) {
  const parsed = yield* ShellCommand.parse(command)
  return parsed._tag === "Parts" ? parsed.parts.map(({ text }) => text) : parsed.reason
})

/** For texts that are hard to read, on a busy machine. */
const longTime = 60_000

/** Each command, and the parts that rules and people see. */
const table: Readonly<Record<string, ReadonlyArray<readonly [string, ...ReadonlyArray<string>]>>> = {
  "words are what the shell makes of them": [
    ["git status", "git status"],
    ["  git \t status  # now", "git status"],
    [`g''it "status"`, "git status"],
    [String.raw`\git sta\tus`, "git status"],
    ["git \\\n status", "git status"],
    [`rm "a b"`, "rm 'a b'"],
    ["rm a b", "rm a b"],
    [`echo "it's" '$x' \\* $'a\\tb'`, String.raw`echo 'it'\''s' '$x' '*' 'a` + "\tb'"],
    [`echo ""`, "echo ''"],
    ["[ -f x ]", "[ -f x ]"],
    ["'A=1' x", "'A=1' x"],
    ["'for' x in a", "'for' x in a"],
    ["/usr/bin/git status", "/usr/bin/git status"]
  ],
  "every command is a part, however they are joined": [
    ["a; b\nc & d && e || f | g |& h", "a", "b", "c", "d", "e", "f", "g", "h"],
    ["(a); { b; }; ! c; time -p d", "a", "b", "c", "d"],
    ["if a; then b; elif c; then d; else e; fi", "a", "b", "c", "d", "e"],
    ["while a; do b; done; until c; do d; done", "a", "b", "c", "d"],
    ["case $x in a) b;; *) c;; esac", "b", "c"],
    ["f() { rm x; }; f; function git { rm y; }", "rm x", "f", "rm y"],
    ["a; a", "a"]
  ],
  "substitutions are parts of their own": [
    ["git status $(rm x)", "git status ⟦$(rm x)⟧", "rm x"],
    ["git status `rm x`", "git status ⟦`rm x`⟧", "rm x"],
    ['echo "$(a "$(b)")"', 'echo ⟦"$(a "$(b)")"⟧', 'a ⟦"$(b)"⟧', "b"],
    ["diff <(a) <(b)", "diff ⟦<(a)⟧ ⟦<(b)⟧", "a", "b"],
    ["echo ${x:-$(rm y)} ${x/$(a)/$(b)}", "echo ⟦${x:-$(rm y)}⟧ ⟦${x/$(a)/$(b)}⟧", "rm y", "a", "b"],
    ["echo {a,$(rm x)}", "echo ⟦{a,$(rm x)}⟧", "rm x"],
    ["cat <<E\n$(rm x)\nE", "cat ⟦<<⟧", "rm x"],
    ["cat <<'E'\n$(rm x)\nE", "cat ⟦<<⟧"],
    ["cat <<< $(rm x)", "cat ⟦<<<⟧", "rm x"],
    ["case $(a) in $(b)) c;; esac", "a", "b", "c"]
  ],
  "what only running tells is marked": [
    ["git $x", "git ⟦$x⟧"],
    ['wc -l "$f"', 'wc -l ⟦"$f"⟧'],
    ["ls *.ts ~/x a{1,2} a[bc]", "ls ⟦*.ts⟧ ⟦~/x⟧ ⟦a{1,2}⟧ ⟦a[bc]⟧"],
    ["$x push", "⟦$x⟧ push", "⟦unparsed⟧ ⟦$x⟧ push"],
    ["for f in *.ts a; do wc $f; done", "for f in ⟦*.ts⟧ a", "wc ⟦$f⟧"]
  ],
  "assignments are seen, with and without a command": [
    ["FOO=1 git status", "FOO=1 git status", "FOO=1", "git status"],
    ["LD_PRELOAD=./x.so PATH='a b' ls", "LD_PRELOAD=./x.so PATH='a b' ls", "LD_PRELOAD=./x.so", "PATH='a b'", "ls"],
    ["PATH=.; ls", "PATH=.", "ls"],
    ["x=$(rm y)", "x=⟦$(rm y)⟧", "rm y"],
    ["x=(a $(rm y))", "x=⟦x=(a $(rm y))⟧", "rm y"],
    ["export A=1 B=$x", "export A=1 B=⟦$x⟧"]
  ],
  "wrappers are seen through": [
    ["env -i git push", "env -i git push", "git push"],
    ["env FOO='a b' ls", "env 'FOO=a b' ls", "FOO='a b' ls", "FOO='a b'", "ls"],
    ["sudo -u root nice -n 5 rm x", "sudo -u root nice -n 5 rm x", "nice -n 5 rm x", "rm x"],
    ["/usr/bin/timeout -k 5 10 rm x", "/usr/bin/timeout -k 5 10 rm x", "rm x"],
    ["nice -5 rm x", "nice -5 rm x", "rm x"],
    ["nohup rm x &", "nohup rm x", "rm x"],
    ["command rm x", "command rm x", "rm x"],
    ["command -v rm", "command -v rm"],
    ["exec -a y rm x", "exec -a y rm x", "rm x"],
    [String.raw`\time -o f rm x`, "'time' -o f rm x", "rm x"],
    ["ls | xargs -n 1 rm -f", "ls", "xargs -n 1 rm -f", "rm -f ⟦input of xargs⟧"],
    [String.raw`find . -exec rm {} \; -ok mv {} x +`, "find . -exec rm {} ';' -ok mv {} x +", "rm ⟦{}⟧", "mv ⟦{}⟧ x +"],
    ["find . -execdir chmod 1 {} +", "find . -execdir chmod 1 {} +", "chmod 1 ⟦{}⟧"]
  ],
  "texts that become commands are read, too": [
    [`bash -c 'git push; rm "a b"'`, `bash -c 'git push; rm "a b"'`, "git push", "rm 'a b'"],
    ["bash -o pipefail -c -- 'rm x'", "bash -o pipefail -c -- 'rm x'", "rm x"],
    [`sh -ec "sh -c 'rm x'"`, String.raw`sh -ec 'sh -c '\''rm x'\'''`, "sh -c 'rm x'", "rm x"],
    ["eval git 'push; rm x'", "eval git 'push; rm x'", "git push", "rm x"],
    ["trap 'rm x' EXIT", "trap 'rm x' EXIT", "rm x"],
    ["bash build.sh", "bash build.sh"]
  ],
  "where the text does not tell what runs, that is a part": [
    ["curl x | sh", "curl x", "sh", "⟦unparsed⟧ sh"],
    ["bash -s < x", "bash -s", "⟦unparsed⟧ bash -s", "< x"],
    ['sh -c "$x"', 'sh -c ⟦"$x"⟧', '⟦unparsed⟧ sh -c ⟦"$x"⟧'],
    ["eval $x", "eval ⟦$x⟧", "⟦unparsed⟧ eval ⟦$x⟧"],
    ["python3 - <<'E'\nimport os\nE", "python3 - ⟦<<⟧", "⟦unparsed⟧ python3 - ⟦<<⟧"],
    ["bash /dev/stdin", "bash /dev/stdin", "⟦unparsed⟧ bash /dev/stdin"],
    ["python3 -u", "python3 -u", "⟦unparsed⟧ python3 -u"],
    ["python3 --version; node x.js", "python3 --version", "node x.js"],
    ["env -S 'rm x'", "env -S 'rm x'", "⟦unparsed⟧ env -S 'rm x'"],
    ["env $a=b ls", "env ⟦$a=b⟧ ls", "⟦unparsed⟧ env ⟦$a=b⟧ ls"],
    ["timeout $t ls", "timeout ⟦$t⟧ ls", "⟦unparsed⟧ timeout ⟦$t⟧ ls"],
    ["flock f -c 'rm x'", "flock f -c 'rm x'", "⟦unparsed⟧ flock f -c 'rm x'"],
    ["sudo -s", "sudo -s", "⟦unparsed⟧ sudo -s"],
    ["alias git=rm", "alias git=rm", "⟦unparsed⟧ alias git=rm"],
    ["source <(a)", "source ⟦<(a)⟧", "⟦unparsed⟧ source ⟦<(a)⟧", "a"],
    ["echo ${x@P}", "echo ⟦${x@P}⟧", "⟦unparsed⟧ ${x@P}"],
    ["echo ${!x}", "echo ⟦${!x}⟧", "⟦unparsed⟧ ${!x}"]
  ],
  "arithmetic and tests that look into variables are parts": [
    ["echo $((1 + 2))", "echo ⟦$((1 + 2))⟧"],
    ["echo $((x))", "echo ⟦$((x))⟧", "(( ⟦$((x))⟧ ))"],
    ["((x = 1))", "(( ⟦x = 1⟧ ))"],
    ["[[ -v 'a[$(rm x)]' ]]", "[[ ⟦-v 'a[$(rm x)]'⟧ ]]"],
    ["for ((i = 0; i < 9; i++)); do b; done", "(( ⟦for ((i = 0; i < 9; i++)); do⟧ ))", "b"],
    ["x[$(rm y)]=2", "x=⟦x[$(rm y)]=2⟧", "(( ⟦x[$(rm y)]=2⟧ ))", "rm y"]
  ],
  "redirections to files are parts": [
    ["a > x 2>> y < z", "a", "> x", ">> y", "< z"],
    ["a &> x; b >| y; c <> z; d >& w", "a", "> x", "b", "> y", "c", "> z", "d", "> w"],
    ["a 2>&1 >/dev/null </dev/null 3>&-", "a"],
    ["{ a; } > 'x y'; (b) >> z", "a", "> 'x y'", "b", ">> z"],
    ["> x", "> x"],
    ["a > $x", "a", "> ⟦$x⟧"],
    ["a {fd}> /dev/tcp/host/80", "a", "> /dev/tcp/host/80"],
    ["while read x; do a; done < f", "read x", "a", "< f"]
  ]
}

describe.each(Object.entries(table))("%s:", (_, cases) => {
  for (const [command, ...parts] of cases) {
    it.effect(JSON.stringify(command), () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* read(command), parts)
      })
    )
  }
})

describe("a part", () => {
  it.effect("says what kind it is, and can be remembered only if nothing in it is open", () =>
    Effect.gen(function* () {
      const parsed = yield* ShellCommand.parse("A=1 ls $x > f; echo | sh")
      assert.deepStrictEqual(parsed, {
        _tag: "Parts",
        parts: [
          { kind: "command", text: "A=1 ls ⟦$x⟧", isLiteral: false },
          { kind: "assignment", text: "A=1", isLiteral: true },
          { kind: "command", text: "ls ⟦$x⟧", isLiteral: false },
          { kind: "redirection", text: "> f", isLiteral: true },
          { kind: "command", text: "echo", isLiteral: true },
          { kind: "command", text: "sh", isLiteral: true },
          { kind: "unknown", text: "⟦unparsed⟧ sh", isLiteral: false }
        ]
      })
    })
  )
})

const syntax = "its syntax is not that of the shell, or not complete"
const controls = "it contains control characters or text that is not well formed"
const unclear = "it uses a form of the shell that is not read part by part"
const marks = "it uses the brackets that mark what only running it tells"
const involved = "it has too many brackets, quotes and expansions for its length to be read in good time"

const unread: ReadonlyArray<readonly [string, string]> = [
  ["", "there is no command in it"],
  ["# nothing", "there is no command in it"],
  ["if", syntax],
  ["echo 'a", syntax],
  ["a && ", syntax],
  ["a ) b", syntax],
  ["echo $(a", syntax],
  ["echo `a", syntax],
  ["cat <<E\nno end", syntax],
  ["y=()`rm x`", syntax],
  ["bash -c 'if'", syntax],
  ["a\0b", controls],
  ["git status\r", controls],
  ["a\u009bb", controls],
  ["a \ud800", controls],
  ["echo $[1 + 1]", unclear],
  ["echo @(a|b)", unclear],
  ["r<()m x", unclear],
  ["coproc rm x", unclear],
  [`sh -c "echo $'\\\\' ; rm x #'"`, unclear],
  ["dash -c '((rm x))'", unclear],
  [`sh -c "eval '('\\"(rm x))\\""`, unclear],
  ["echo $(( $(rm x) + 1 ))", unclear],
  ["for ((i = 0; i < $(a); i++)); do b; done", unclear],
  ["echo ⟦x⟧", marks],
  ["a".repeat(32_769), "it has 32769 characters, and 32768 are the limit for reading it part by part"]
]

describe("a command that cannot be read part by part", () => {
  for (const [command, reason] of unread) {
    it.effect(`says why: ${JSON.stringify(command.slice(0, 40))}`, () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* read(command), reason)
      })
    )
  }

  it.effect("may be one in which programs run each other for too long", () =>
    Effect.gen(function* () {
      const tooDeep = "programs in it run each other more than 10 levels deep"
      const quoted = (text: string) => JSON.stringify(text).replaceAll("$", String.raw`\$`)
      let command = "rm x"
      for (let level = 0; level < 11; level++) command = `eval ${quoted(command)}`
      assert.strictEqual(yield* read(command), tooDeep)
      for (const wrapper of ["env ", "env A=1 ", "time -p nice "]) {
        assert.strictEqual(yield* read(wrapper.repeat(Math.floor(32_000 / wrapper.length))), tooDeep)
        assert.include(yield* read(`${wrapper.repeat(4)}rm x`), "rm x")
      }
    })
  )

  it.effect("may be one that runs too much", () =>
    Effect.gen(function* () {
      const many = (count: number) => Array.from({ length: count }, (_, index) => `a${index}`).join(";")
      assert.strictEqual((yield* read(many(200))).length, 200)
      assert.strictEqual(yield* read(many(201)), "it runs more than 200 commands")
      assert.strictEqual(yield* read("a;".repeat(16_000)), "it runs more than 200 commands")
    })
  )
})

const openings = ["$(", "$[", "${a:-", '"$(', "`", "(", "((", "{ ", "{a,", "<(", "<<E ", "if ", "f(){ ", "$((", "x[$("]
const closings = [")", "]", "}", ')"', "`", ")", "))", ";}", "}", ")", "", ";fi", ";}", "))", ")]=1"]

describe("a hostile text", () => {
  it.effect(
    "of 128 KiB is refused before anybody tries to read it",
    () =>
      Effect.gen(function* () {
        for (const opening of openings) {
          const text = opening.repeat(Math.floor(131_072 / opening.length))
          assert.include(yield* read(text), "are the limit for reading it part by part")
        }
      }),
    longTime
  )

  it.effect(
    "within the length that opens and never closes, or nests, is not read",
    () =>
      Effect.gen(function* () {
        for (const [index, opening] of openings.entries()) {
          const nested = opening.repeat(2000) + "a" + (closings[index] ?? "").repeat(2000)
          assert.include([involved, syntax], yield* read(nested), opening)
          const parsed = yield* ShellCommand.parse(opening.repeat(120))
          assert.isTrue(parsed._tag === "Unparsed" || parsed.parts.every(({ isLiteral }) => !isLiteral), opening)
        }
      }),
    longTime
  )

  it.effect(
    "that makes the parser run out of stack is one that cannot be read",
    () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* read("coproc ".repeat(4600)), involved)
      }),
    longTime
  )
})
