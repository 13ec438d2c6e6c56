import { assert, describe, it } from "@effect/vitest"
import { Progress } from "@haft/core"
import * as Testing from "@haft/core/testing"
import { Effect, Fiber, Layer, Redacted, Ref } from "effect"
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Net from "node:net"
import { setImmediate } from "node:timers/promises"
import {
  eventually,
  failureOf,
  hasBubblewrap,
  layerOn,
  makeMarker,
  makeShellPlace,
  notIsolated,
  type Options,
  type ShellPlace,
  survivors,
  textOf,
  valueOf
} from "./support/commands.ts"
import { makePlace } from "./support/place.ts"
import { script } from "./support/searching.ts"

/** Processes are started, some of them several, on a machine that may be busy. */
const longTime = 120_000

/** Where the kernel counts processes, in the older form of control groups. */
const groupsDirectory = "/sys/fs/cgroup/pids"

const isWritable = (path: string): boolean => {
  try {
    Fs.accessSync(path, Fs.constants.W_OK)
    return process.getuid?.() === 0
  } catch {
    return false
  }
}

const hasGroups = isWritable(groupsDirectory)

const groupNames = (): ReadonlyArray<string> =>
  Fs.readdirSync(groupsDirectory).filter((name) => name.startsWith(`haft-${process.pid}-`))

const many = (count: number, make: (index: number) => void): void => {
  for (let index = 0; index < count; index++) make(index)
}

/** A file system in memory that hardly anybody writes to. */
const ownDisk = "/dev/shm"

const hasOwnDisk = Fs.existsSync(ownDisk)

/** The number of the youngest process, after which the next one is looked for. */
const lastNumber = "/proc/sys/kernel/ns_last_pid"

const canChooseNumbers = isWritable(lastNumber)

const secret = "s3cr3t-of-the-host"

const modes: ReadonlyArray<readonly [string, Options]> = [
  ...(hasBubblewrap ? [["isolated", { isolation: "required" }] as const] : []),
  ["not isolated", notIsolated]
]

describe("where commands run", () => {
  it.live.skipIf(!hasBubblewrap)("is a namespace if the system has that, unless the host does not want it", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* makeShellPlace()).shell.isolation, "namespace")
      const { shell } = yield* makeShellPlace({ isolation: "none" })
      assert.deepStrictEqual([shell.isolation, shell.network], ["none", true])
    })
  )

  it.live(
    "is beside this process if the program that isolates is missing or does not do its work, or else nowhere",
    () =>
      Effect.gen(function* () {
        const place = yield* makePlace()
        const broken = [
          script(place, "fails", "exit 1"),
          script(place, "pretends", 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"')
        ]
        for (const bubblewrap of ["/no/such/program", ...broken]) {
          const { shell } = yield* makeShellPlace({ bubblewrap })
          assert.strictEqual(shell.isolation, "none", bubblewrap)
          const layer = layerOn(place, { isolation: "required", bubblewrap })
          const error = yield* Effect.flip(Effect.scoped(Layer.build(layer)))
          assert.deepStrictEqual([error._tag, error.reason], ["LocationShell.UnavailableError", "NotIsolated"])
        }
      }),
    longTime
  )

  it.live("is nowhere without bash", () =>
    Effect.gen(function* () {
      const layer = layerOn(yield* makePlace(), { bash: "/no/such/shell" })
      const error = yield* Effect.flip(Effect.scoped(Layer.build(layer)))
      assert.deepStrictEqual([error._tag, error.reason], ["LocationShell.UnavailableError", "NoShell"])
    })
  )
})

describe.skipIf(!hasBubblewrap)("a command in a namespace", { timeout: longTime }, () => {
  const forbidden: ReadonlyArray<readonly [string, string]> = [
    ["read what is outside", "cat ../beside/secret"],
    ["read the system's passwords", "cat /etc/shadow"],
    ["read them through a link of its own", "ln -s /etc/passwd p && cat p"],
    ["write to the system", "echo x > /etc/x || echo x > /usr/x"],
    ["write beside the root", "echo x > ../beside/made && cat ../beside/secret"],
    ["mount", "mount -t tmpfs t /mnt"],
    ["make a namespace of its own", "unshare -Ur id"],
    ["enter the host's", "nsenter -t 1 -a id"],
    ["change a setting of the kernel", ": >> /proc/sys/kernel/core_pattern"],
    ["fill the memory", "head -c 400M /dev/zero > /dev/shm/x || head -c 400M /dev/zero > /dev/x"],
    ["see this process", `ls -d /proc/${process.pid}`],
    ["signal this process", `kill -0 ${process.pid}`]
  ]

  it.live.each(forbidden)("cannot %s", ([, command]) =>
    Effect.gen(function* () {
      const place = yield* makeShellPlace()
      place.write("../beside/secret", "CANARY")
      const value = yield* valueOf(place, "shell", { command })
      assert.notStrictEqual(value["exit_code"], 0)
      assert.notInclude(JSON.stringify(value), "CANARY")
      assert.isFalse(Fs.existsSync(`${place.above}/beside/made`))
    })
  )

  it.live("can read, build and write in the root", () =>
    Effect.gen(function* () {
      const place = yield* makeShellPlace()
      place.write("a", "one\n")
      const command = "cat a && mkdir b && echo two > b/c && tar -cf d b && touch /tmp/t && ls"
      assert.strictEqual(yield* textOf(place, "shell", { command }), "one\na\nb\nd\n[exit code 0]")
      assert.strictEqual(place.read("b/c"), "two\n")
    })
  )

  it.live("finds nothing of this process in /proc, and no descriptor besides its streams", () =>
    Effect.gen(function* () {
      const place = yield* makeShellPlace()
      const { stdout } = yield* valueOf(place, "shell", {
        command: "cat /proc/1/environ; ls /proc/self/fd; grep CapEff /proc/self/status"
      })
      assert.strictEqual(stdout, "0\n1\n2\n3\nCapEff:\t0000000000000000\n")
    })
  )

  it.live("has a network only if the host wants it to", () =>
    Effect.gen(function* () {
      let connections = 0
      const server = yield* Effect.acquireRelease(
        Effect.callback<Net.Server>((resume) => {
          const server = Net.createServer((socket) => {
            connections++
            socket.end("reached\n")
          })
          server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.sync(() => void server.close())
      )
      const address = server.address()
      const port = typeof address === "object" ? (address?.port ?? 0) : 0
      const command = `cat < /dev/tcp/127.0.0.1/${port}`
      const without = yield* valueOf(yield* makeShellPlace(), "shell", { command })
      assert.deepStrictEqual([without["exit_code"] === 0, connections], [false, 0])
      const place = yield* makeShellPlace({ isolation: "required", network: true })
      assert.strictEqual(yield* textOf(place, "shell", { command }), "reached\n[exit code 0]")
      const [request] = yield* Ref.get(place.asked)
      assert.deepStrictEqual([request?.action, request?.metadata["network"]], ["shell_network", true])
    })
  )

  it.live("reads what the host adds, and cannot change it", () =>
    Effect.gen(function* () {
      const beside = yield* makePlace()
      beside.write("tool", "#!/bin/sh\necho from the tool\n")
      Fs.chmodSync(beside.at("tool"), 0o755)
      const place = yield* makeShellPlace({ readOnlyPaths: [beside.root] })
      const text = yield* textOf(place, "shell", { command: `${beside.at("tool")}; echo x > ${beside.at("made")}` })
      assert.include(text, "from the tool\n")
      assert.deepStrictEqual(beside.names(), ["tool"])
    })
  )
})

describe.each(modes)("files that are opened by name, and a command that is %s", { timeout: longTime }, (_, mode) => {
  /** A command that runs until it may end, and a call that reads a file meanwhile. */
  const together = Effect.fnUntraced(function* (place: ShellPlace) {
    place.write("a", "one\n")
    const command = "touch begun; until [ -e go ]; do sleep 0.01; done"
    const running = yield* Effect.forkChild(textOf(place, "shell", { command }), { startImmediately: true })
    yield* eventually(() => Fs.existsSync(place.at("begun")))
    const reading = yield* Effect.forkChild(textOf(place, "read", { path: "a" }), { startImmediately: true })
    return {
      reading,
      finish: Effect.andThen(
        Effect.sync(() => place.write("go", "")),
        Fiber.join(running)
      )
    }
  })

  it.live("take turns, and no command runs in the background", () =>
    Effect.gen(function* () {
      const place = yield* makeShellPlace({ ...mode, place: { descriptors: "/no/such/directory" } })
      assert.strictEqual(place.files.confinement, "best-effort")
      const { finish, reading } = yield* together(place)
      // Reading takes a few turns of the event loop where nothing keeps it.
      for (let turn = 0; turn < 1000; turn++) yield* Effect.promise(() => setImmediate())
      assert.isUndefined(reading.pollUnsafe())
      assert.include(yield* finish, "exit code 0")
      assert.include(yield* Fiber.join(reading), "one")
      const failure = yield* failureOf(place, "shell", { command: "true", background: true })
      assert.strictEqual(failure.hint, "Run it without background.")
      assert.include(yield* textOf(place, "shell", { command: "cat a" }), "one\n")
    })
  )

  it.live("do not wait for each other where they are held by descriptors", () =>
    Effect.gen(function* () {
      const { finish, reading } = yield* together(yield* makeShellPlace(mode))
      assert.include(yield* Fiber.join(reading), "one")
      assert.include(yield* finish, "exit code 0")
    })
  )
})

describe.skipIf(!hasBubblewrap)("protected files", { timeout: longTime }, () => {
  const isProtected = (path: string) => /^(.*\/)?\.git(\/hooks(\/.*)?|\/config)?$|^(.*\/)?\.npmrc$/.test(path)

  const makeRepository = Effect.fnUntraced(function* () {
    const place = yield* makeShellPlace({ protectedPaths: isProtected })
    place.write(".git/hooks/pre-commit", "original")
    place.write(".git/config", "original")
    place.write(".git/HEAD", "original")
    place.write("packages/a/.npmrc", "original")
    return place
  })

  const changes: ReadonlyArray<readonly [string, string]> = [
    ["written to", "echo x > .git/hooks/pre-commit"],
    ["added to", "echo x > .git/hooks/new"],
    ["removed", "rm -rf .git/hooks"],
    ["replaced by moving something over it", "echo x > n && mv n .git/config"],
    ["moved together with the directory above", "mv .git moved"],
    ["moved together with a directory further above", "mv packages moved"],
    ["changed in a directory further down", "echo x > packages/a/.npmrc"]
  ]

  it.live.each(changes)("cannot be %s", ([, command]) =>
    Effect.gen(function* () {
      const place = yield* makeRepository()
      assert.notStrictEqual((yield* valueOf(place, "shell", { command }))["exit_code"], 0)
      assert.deepStrictEqual([".git/hooks/pre-commit", ".git/config", "packages/a/.npmrc"].map(place.read), [
        "original",
        "original",
        "original"
      ])
      assert.deepStrictEqual(Fs.readdirSync(place.at(".git/hooks")), ["pre-commit"])
    })
  )

  it.live("do not keep their neighbours from being changed", () =>
    Effect.gen(function* () {
      const place = yield* makeRepository()
      const command = "echo new > .git/HEAD && echo x > .git/index && echo x > packages/a/b && cat .git/config"
      assert.strictEqual(yield* textOf(place, "shell", { command }), "original\n[exit code 0]")
      assert.strictEqual(place.read(".git/HEAD"), "new\n")
    })
  )

  it.live("are protected under any name, which nobody takes for a command", () =>
    Effect.gen(function* () {
      const place = yield* makeRepository()
      const directory = `a b'c"d$(touch pwned)\`touch pwned\`;touch pwned`
      place.write(`${directory}/.npmrc`, "original")
      const value = yield* valueOf(place, "shell", { command: "echo x > a*/.npmrc; ls; echo y > fine" })
      assert.include(String(value["stderr"]), "Read-only file system")
      assert.strictEqual(place.read(`${directory}/.npmrc`), "original")
      assert.isFalse(Fs.existsSync(place.at("pwned")) || Fs.existsSync(`${place.above}/pwned`))
      assert.isTrue(Fs.existsSync(place.at("fine")))
    })
  )

  it.live("that were not there before are moved aside, and the call fails", () =>
    Effect.gen(function* () {
      const place = yield* makeRepository()
      const command =
        "mkdir -p sub/.git/hooks && echo x > sub/.git/hooks/post-merge && echo x > .npmrc && echo x > fine && echo built"
      const failure = yield* failureOf(place, "shell", { command })
      assert.strictEqual(failure.reason._tag, "Denied")
      assert.deepInclude(failure.partial, { stdout: "built\n", exit_code: 0 })
      const names = place.names()
      assert.isFalse(names.includes(".npmrc") || names.includes("sub/.git"))
      assert.isTrue(names.includes("fine"))
      const aside = names.filter((name) => name.includes("moved-aside-"))
      assert.isTrue(aside.some((name) => /^moved-aside-[0-9a-f]{8}-npmrc$/.test(name)))
      assert.isTrue(aside.some((name) => /^sub\/moved-aside-[0-9a-f]{8}-git\/hooks\/post-merge$/.test(name)))
      for (const name of aside) if (name.endsWith("npmrc")) assert.include(failure.message, `.npmrc is now ${name}`)
    })
  )

  it.live("are moved aside as well if the call is interrupted, or the Location closes with a job", () =>
    Effect.gen(function* () {
      const place = yield* makeRepository()
      for (const background of [false, true]) {
        const marker = makeMarker()
        const command = `echo x > .npmrc; sleep ${marker}`
        const fiber = yield* Effect.forkChild(textOf(place, "shell", { command, background }))
        yield* eventually(() => survivors(marker).length > 0)
        yield* Fiber.interrupt(fiber)
        yield* place.jobs.end(Testing.context.sessionID)
        assert.isFalse(Fs.existsSync(place.at(".npmrc")))
      }
      assert.lengthOf(
        place.names().filter((name) => /^moved-aside-.*-npmrc$/.test(name)),
        2
      )
    })
  )

  it.live("are protected in a directory outside that was allowed, too", () =>
    Effect.gen(function* () {
      const place = yield* makeRepository()
      const cwd = `${place.above}/beside`
      place.write("../beside/.git/hooks/pre-commit", "original")
      place.write("../beside/packages/a/.npmrc", "original")
      const refused = [
        "echo x > .git/hooks/pre-commit",
        "echo x > .git/hooks/new",
        "mv .git moved",
        "mv packages moved",
        "echo x > ../project/.git/config"
      ]
      for (const command of refused) {
        assert.notStrictEqual((yield* valueOf(place, "shell", { command, cwd }))["exit_code"], 0, command)
      }
      const failure = yield* failureOf(place, "shell", { command: "echo x > .npmrc; echo x > fine", cwd })
      assert.strictEqual(failure.reason._tag, "Denied")
      const names = Fs.readdirSync(cwd, { recursive: true, encoding: "utf8" })
      assert.isTrue(names.includes("fine") && !names.includes(".npmrc"))
      const aside = names.find((name) => /^moved-aside-[0-9a-f]{8}-npmrc$/.test(name)) ?? ""
      assert.include(failure.message, `${cwd}/.npmrc is now ${cwd}/${aside}`)
      assert.strictEqual(place.read("../beside/.git/hooks/pre-commit"), "original")
      assert.deepStrictEqual(Fs.readdirSync(`${cwd}/.git/hooks`), ["pre-commit"])
    })
  )

  it.live("are read-only as a whole where the directory outside is one of them", () =>
    Effect.gen(function* () {
      const place = yield* makeRepository()
      place.write("../beside/.git/hooks/pre-commit", "original")
      const cwd = `${place.above}/beside/.git/hooks`
      const { exit_code, stdout } = yield* valueOf(place, "shell", { command: "cat pre-commit; echo x > new", cwd })
      assert.deepStrictEqual([exit_code, stdout], [1, "original"])
      assert.deepStrictEqual(Fs.readdirSync(cwd), ["pre-commit"])
    })
  )

  it.live("are protected around the project, if that was allowed", () =>
    Effect.gen(function* () {
      const place = yield* makeRepository()
      place.write("../.npmrc", "original")
      const command = "echo x > project/.git/hooks/pre-commit; echo x > .npmrc; echo x > fine"
      assert.strictEqual((yield* valueOf(place, "shell", { command, cwd: place.above }))["exit_code"], 0)
      assert.deepStrictEqual(["../.npmrc", ".git/hooks/pre-commit", "../fine"].map(place.read), [
        "original",
        "original",
        "x\n"
      ])
    })
  )

  const hidden: ReadonlyArray<readonly [string, (place: ShellPlace) => void]> = [
    [
      "repositories without a hook",
      (place) => many(1000, (index) => Fs.mkdirSync(place.at(`${index}/.git`), { recursive: true }))
    ],
    [
      "directories",
      (place) =>
        many(19_900, (index) => Fs.mkdirSync(place.at(`${index}${index < 1000 ? "/a" : ""}`), { recursive: true }))
    ]
  ]

  it.live.each(hidden)("are found among many %s", ([, hide]) =>
    Effect.gen(function* () {
      const place = yield* makeShellPlace({ protectedPaths: isProtected })
      hide(place)
      place.write("sub/.git/hooks/pre-commit", "original")
      const command = "echo x > sub/.git/hooks/pre-commit; mv sub/.git moved; echo x > fine"
      assert.strictEqual((yield* valueOf(place, "shell", { command }))["exit_code"], 0)
      assert.strictEqual(place.read("sub/.git/hooks/pre-commit"), "original")
      assert.isTrue(Fs.existsSync(place.at("fine")))
    })
  )

  it.live("that are too many to be kept safe keep a command from running", () =>
    Effect.gen(function* () {
      const place = yield* makeShellPlace({ protectedPaths: isProtected })
      many(1000, (index) => place.write(`${index}/.npmrc`, "original"))
      const failure = yield* failureOf(place, "shell", { command: "touch made" })
      assert.deepStrictEqual(
        [failure.reason._tag, failure.message],
        ["Unavailable", "The command was not run: more files are protected than can be kept from it."]
      )
      assert.isFalse(Fs.existsSync(place.at("made")))
      many(600, (index) => Fs.rmSync(place.at(`${index}/.npmrc`)))
      const value = yield* valueOf(place, "shell", { command: "touch made; echo x > 999/.npmrc" })
      assert.notStrictEqual(value["exit_code"], 0)
      assert.isTrue(Fs.existsSync(place.at("made")))
    })
  )

  it.live("that are links cannot be exchanged unnoticed", () =>
    Effect.gen(function* () {
      const place = yield* makeShellPlace({ protectedPaths: isProtected })
      place.write("shared/hook", "")
      place.write("other/hook", "")
      Fs.mkdirSync(place.at(".git"))
      Fs.symlinkSync("../shared", place.at(".git/hooks"))
      assert.include(yield* textOf(place, "shell", { command: "ls .git/hooks" }), "hook\n")
      const failure = yield* failureOf(place, "shell", { command: "ln -sfn ../other .git/hooks" })
      assert.strictEqual(failure.reason._tag, "Denied")
      assert.isFalse(Fs.existsSync(place.at(".git/hooks")))
    })
  )
})

describe.each(modes)("a secret of a command that is %s", (_, mode) => {
  it.live(
    "reaches the command and nobody else, and is asked for anew every time",
    () =>
      Effect.gen(function* () {
        let asked = 0
        const secrets = Effect.sync(() => ({ TOKEN: Redacted.make(`${secret}-${++asked}`) }))
        const place = yield* makeShellPlace({ ...mode, secrets })
        const seen: Array<string> = []
        const command = [
          'echo "$TOKEN"; printf %s "$TOKEN" | base64; printf "%s" "$TOKEN" >&2',
          "for p in /proc/[0-9]*/cmdline; do tr '\\0' ' ' < $p; done 2>/dev/null | grep -c s3cr3t-o[f]",
          'printf "${TOKEN:0:10}"; sleep 0.2; printf "${TOKEN:10}\\n"; [ "$TOKEN" = "$(cat expected)" ] && echo right'
        ].join("\n")
        for (const round of [1, 2]) {
          place.write("expected", `${secret}-${round}`)
          const call = Effect.provideService(valueOf(place, "shell", { command }), Progress.Service, {
            report: (update) => Effect.sync(() => void seen.push(JSON.stringify(update)))
          })
          const { stderr, stdout } = yield* call
          assert.strictEqual(stderr, "<redacted>")
          assert.match(String(stdout), /^<redacted>\n<redacted>.{0,4}\n0\n<redacted>\nright\n$/)
        }
        assert.notInclude(seen.join(), "s3cr3t")
        assert.notInclude(JSON.stringify(yield* Ref.get(place.asked)), "s3cr3t-of")
      }),
    longTime
  )

  it.live("that could not be recognised is refused", () =>
    Effect.gen(function* () {
      const place = yield* makeShellPlace({ ...mode, secrets: Effect.succeed({ TOKEN: Redacted.make("short") }) })
      const failure = yield* failureOf(place, "shell", { command: "true" })
      assert.strictEqual(failure.reason._tag, "Unavailable")
      assert.notInclude(JSON.stringify(failure), "short")
    })
  )
})

/** With control groups, where this user can make them, and without. */
const countings = modes.flatMap(([name, mode]) =>
  [true, false].map(
    (controlGroups) =>
      [`${name}, ${controlGroups ? "in a group" : "hidden groups"}`, { ...mode, controlGroups }] as const
  )
)

describe.each(countings)("limits on the processes of a command that is %s", { timeout: longTime }, (_, mode) => {
  const sleepers = (count: number, marker: string) => `for i in $(seq ${count}); do sleep ${marker} & done`

  it.live("end one that has too many, and let one be that has half as many", () =>
    Effect.gen(function* () {
      const place = yield* makeShellPlace({ ...mode, limits: { processes: 40 } })
      const [few, many] = [makeMarker(), makeMarker()]
      const half = `${sleepers(20, few)}; sleep 1; kill $(jobs -p); wait; echo done`
      assert.include(yield* textOf(place, "shell", { command: half }), "done\n")
      const command = `${sleepers(60, many)}; sleep ${many}`
      assert.deepInclude(yield* valueOf(place, "shell", { command, timeout: 60 }), { killed_by: "process_limit" })
      assert.deepStrictEqual([...survivors(few), ...survivors(many)], [])
    })
  )

  it.live.skipIf(!canChooseNumbers)("count those whose numbers begin anew", () =>
    Effect.gen(function* () {
      const place = yield* makeShellPlace({ ...mode, limits: { processes: 40 } })
      const marker = makeMarker()
      execFileSync("mkfifo", [place.at("go")])
      const command = `touch begun; read -r _ < go; ${sleepers(60, marker)}; sleep ${marker}`
      const fiber = yield* Effect.forkChild(valueOf(place, "shell", { command, timeout: 60 }))
      yield* eventually(() => Fs.existsSync(place.at("begun")))
      Fs.writeFileSync(lastNumber, "300")
      Fs.writeFileSync(place.at("go"), "\n")
      assert.deepInclude(yield* Fiber.join(fiber), { killed_by: "process_limit" })
      assert.deepStrictEqual(survivors(marker), [])
    })
  )
})

describe.skipIf(!hasGroups).each(modes)("a control group of a command that is %s", { timeout: longTime }, (_, mode) => {
  it.live("lets no more begin than four times the limit, however quick they are, and is gone afterwards", () =>
    Effect.gen(function* () {
      const before = groupNames()
      const place = yield* makeShellPlace({ ...mode, limits: { processes: 10 } })
      assert.strictEqual(place.shell.processLimit, "kernel")
      const marker = makeMarker()
      // Between two looks at it nobody else counts.
      const command = `trap '' TERM; for i in $(seq 200); do sleep ${marker} & done; sleep ${marker}`
      const fiber = yield* Effect.forkChild(valueOf(place, "shell", { command, timeout: 60 }))
      let most = 0
      const ended = yield* Effect.raceFirst(
        Fiber.join(fiber),
        Effect.forever(
          Effect.andThen(
            Effect.sync(() => (most = Math.max(most, survivors(marker).length))),
            Effect.sleep("1 millis")
          )
        )
      )
      assert.deepInclude(ended, { killed_by: "process_limit" })
      assert.isAtMost(most, 40)
      assert.deepStrictEqual(survivors(marker), [])
      assert.deepStrictEqual(groupNames(), before)
    })
  )

  it.live("loses nothing that leaves its session and its environment", () =>
    Effect.gen(function* () {
      const place = yield* makeShellPlace(mode)
      for (const background of [false, true]) {
        const marker = makeMarker()
        const daemon = `touch ready; exec sleep ${marker}`
        const command = `rm -f ready; (env -i setsid setsid bash -c '${daemon}' >/dev/null 2>&1 &); until [ -e ready ]; do :; done`
        const { pid } = yield* valueOf(place, "shell", { command, background })
        if (background) yield* valueOf(place, "process", { action: "wait", pid })
        assert.deepStrictEqual(survivors(marker), [])
      }
    })
  )

  it.live("is removed by the next host if one was killed", () =>
    Effect.gen(function* () {
      yield* makeShellPlace(mode)
      const forgotten = `${groupsDirectory}/haft-${2 ** 22}-1-1`
      Fs.mkdirSync(forgotten)
      const own = `${groupsDirectory}/haft-${process.pid}-0`
      Fs.mkdirSync(own)
      yield* makeShellPlace(mode)
      assert.deepStrictEqual([Fs.existsSync(forgotten), Fs.existsSync(own)], [false, true])
      Fs.rmdirSync(own)
    })
  )
})

describe.each(modes)("limits of a command that is %s", (_, mode) => {
  it.live(
    "end one that takes too much memory, and let one be that takes less",
    () =>
      Effect.gen(function* () {
        const place = yield* makeShellPlace({ ...mode, limits: { memoryBytes: 200_000_000 } })
        const hold = (bytes: number) => `x=$(head -c ${bytes} /dev/zero | tr '\\0' x); sleep 1; echo held`
        assert.include(yield* textOf(place, "shell", { command: hold(10_000_000) }), "held\n")
        const value = yield* valueOf(place, "shell", { command: hold(250_000_000), timeout: 60 })
        assert.strictEqual(value["killed_by"], "memory_limit")
      }),
    longTime
  )

  const fills: ReadonlyArray<readonly [string, string, string]> = [
    ["bytes", "head -c 8M /dev/zero > half", "for ((i = 0; ; i++)); do head -c 1M /dev/zero > $i; done"],
    ["files", "for ((i = 0; i < 1000; i++)); do : > half$i; done", "for ((i = 0; ; i++)); do : > $i; done"]
  ]

  it.live.each(hasOwnDisk ? fills : [])(
    "end one that takes all %s of a disk, and let one be that takes half",
    ([, half, all]) =>
      Effect.gen(function* () {
        const limits = { diskBytes: 16 * 1024 * 1024, diskFiles: 2000 }
        const place = yield* makeShellPlace({ ...mode, limits, place: { within: ownDisk } })
        const seen = "sleep 0.5; echo done"
        assert.include(yield* textOf(place, "shell", { command: `${half}; ${seen}` }), "done\n[exit code 0]")
        const value = yield* valueOf(place, "shell", { command: all, timeout: 60 })
        assert.deepInclude(value, { killed_by: "disk_limit", signal: "SIGKILL" })
        assert.include(String(value["warnings"]), "a disk lost too much of its room")
        const { pid } = yield* valueOf(place, "shell", { command: `mkdir job; cd job; ${all}`, background: true })
        const { log_tail } = yield* valueOf(place, "process", { action: "wait", pid, seconds: 60 })
        assert.include(String(log_tail), "a disk lost too much of its room")
        if (place.shell.isolation === "none") return
        // What is in memory is a disk, too, of the command's own.
        assert.include(yield* textOf(place, "shell", { command: `cd /tmp; ${half}; ${seen}` }), "done\n[exit code 0]")
        const own = yield* valueOf(place, "shell", { command: `cd /tmp; ${all}`, timeout: 60 })
        assert.deepInclude(own, { killed_by: "disk_limit" })
      }),
    longTime
  )

  it.live(
    "end a file that grows without end",
    () =>
      Effect.gen(function* () {
        const place = yield* makeShellPlace({ ...mode, limits: { fileBytes: 1024 * 1024 } })
        const value = yield* valueOf(place, "shell", { command: "head -c 10000000 /dev/zero > big" })
        assert.notStrictEqual(value["exit_code"], 0)
        assert.strictEqual(Fs.statSync(place.at("big")).size, 1024 * 1024)
        assert.strictEqual(
          yield* textOf(place, "shell", { command: "head -c 500000 /dev/zero > half; ls -s half | wc -l" }),
          "1\n[exit code 0]"
        )
      }),
    longTime
  )
})
