/** Programs that run other programs, as data. */

export interface Wrapper {
  /** Letters and names of options that stand alone. An option that is nowhere here makes it unknown what is run. */
  readonly flags: string
  /** Letters and names of options that the next word belongs to. */
  readonly values: string
  /** Words that stand before the command. */
  readonly operands?: number
  readonly takesAssignments?: boolean
  /** It adds words of its own. */
  readonly adds?: string
}

export const wrappers: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  ["builtin", { flags: "", values: "" }],
  ["busybox", { flags: "", values: "" }],
  ["chroot", { flags: "", values: "", operands: 1 }],
  ["command", { flags: "p", values: "" }],
  ["doas", { flags: "n", values: "u" }],
  ["env", { flags: "i 0 v - ignore-environment null debug", values: "u C unset chdir", takesAssignments: true }],
  ["exec", { flags: "c l", values: "a" }],
  ["flock", { flags: "s x u n o F", values: "w E", operands: 1 }],
  ["ionice", { flags: "t", values: "c n class classdata" }],
  ["nice", { flags: "", values: "n adjustment" }],
  ["nohup", { flags: "", values: "" }],
  ["pkexec", { flags: "", values: "u user" }],
  ["setsid", { flags: "c f w", values: "" }],
  ["stdbuf", { flags: "", values: "i o e input output error" }],
  [
    "sudo",
    { flags: "A b E H n P k non-interactive set-home", values: "u g C p T D R user group", takesAssignments: true }
  ],
  ["time", { flags: "a p v q", values: "f o format output" }],
  ["timeout", { flags: "v f p foreground preserve-status verbose", values: "k s kill-after signal", operands: 1 }],
  ["toybox", { flags: "", values: "" }],
  [
    "xargs",
    {
      flags: "0 r t x p null no-run-if-empty verbose",
      values: "I n P L s d a E max-args max-procs max-lines delimiter arg-file",
      adds: "input of xargs"
    }
  ]
])

/** What these run stands in a language of their own, or is read from elsewhere, or behind options of their own. */
export const opaque: ReadonlySet<string> = new Set(
  [
    "alias bind compgen complete csh enable fish ksh mksh parallel powershell pwsh rbash script su tcsh watch zsh",
    "at batch bwrap cgexec chrt dbus-run-session entr fakeroot faketime firejail gdb linux32 linux64 ltrace nsenter prlimit",
    "runuser setarch setpriv sg ssh-agent strace systemd-run taskset unbuffer unshare valgrind xvfb-run",
    "ld.so ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 ld-musl-x86_64.so.1 ld-musl-aarch64.so.1"
  ].flatMap((names) => names.split(" "))
)

export const shells: ReadonlySet<string> = new Set(["ash", "bash", "dash", "sh"])

/** Run what they read from their input if they are given no program. */
export const interpreters = /^(?:bun|deno|irb|lua|node|nodejs|perl|php|psql|python|ruby|sqlite3|tclsh)[\d.]*$/
