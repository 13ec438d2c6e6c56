/**
 * What stands between this process and a command. Each text is fixed; whatever comes from a call is an argument of it and
 * never a part of it.
 */

/** Descriptors above those that are handed over were inherited by accident, and are nobody's business. */
const closeOthers = (highest: number): string =>
  `for f in /proc/self/fd/[0-9]*; do n=\${f##*/}; [ -e "$f" ] && [ "$n" -gt ${highest} ] && eval "exec $n>&-"; done`

/** What a launcher ends with if a file or directory is no longer the one that was looked at. */
export const exchangedCode = 125

/** The first descriptor of those that `isolatedLauncher` opens besides the root. */
export const firstPlace = 8

/** Enters the control group of the command, if there is one. */
const enterGroup = (group: string): string =>
  `[ -z "${group}" ] || echo 0 2>/dev/null >"${group}/cgroup.procs" || exit ${exchangedCode}`

/**
 * Arguments: the control group; paths, each followed by what has to be there; then `--`, and the program that isolates with
 * its arguments. Opens the root and the paths for it, and starts it without an environment. What was exchanged meanwhile, it
 * does not open for anybody.
 */
export const isolatedLauncher = [
  enterGroup("$1"),
  "shift",
  closeOthers(6),
  "exec 4<.",
  `n=${firstPlace} wanted= opened=()`,
  'while [ "$1" != -- ]; do',
  `  { [ -f "$1" ] || [ -d "$1" ]; } && eval 'exec '$n'<"$1"' || exit ${exchangedCode}`,
  '  opened+=("/proc/self/fd/$n") wanted+="$2 " n=$((n+1))',
  "  shift 2",
  "done",
  "shift",
  `[ \${#opened[@]} = 0 ] || [ "$(/usr/bin/stat -L -c %d:%i "\${opened[@]}" | while read -r i; do printf '%s ' "$i"; done)" = "$wanted" ] || exit ${exchangedCode}`,
  'exec -c "$@"'
].join("\n")

/**
 * Arguments: the command, and limits. Runs inside the namespace: sets the limits, says on descriptor 6 that
 * the command begins, runs it, and says there whether it left something running. The command itself gets nothing but its three streams.
 */
export const isolatedKeeper = [
  "asked=; trap asked=1 TERM",
  "exec 7>&2 2>/dev/null",
  'ulimit -c 0; ulimit -f "$2"; ulimit -n "$3"; ulimit -u "$4"',
  "echo began >&6",
  '[ -z "$asked" ] || exit 143',
  '"$BASH" -o pipefail -c -- "$1" 2>&7 6>&- 7>&-',
  "code=$?",
  // Twice, because a list of processes is not read at one moment.
  "for round in 1 2; do for p in /proc/[0-9]*; do",
  "  p=${p#/proc/}",
  '  [ "$p" -gt 1 ] && [ "$p" != $$ ] && read -r s <"/proc/$p/stat" || continue',
  '  case "${s##*) }" in [ZX]*) ;; *) echo left >&6; exit $code ;; esac',
  "done; done",
  "exit $code"
].join("\n")

/**
 * Arguments: the command, limits, and the control group. Becomes the command, and leaves a watch behind in its group:
 * descriptor 3 ends when this process does, however it ends, and then the watch ends the command, whatever is in its control
 * group and everything that has its mark. Its number goes to descriptor 6. The system counts all processes of a user
 * together, so those of the whole machine are added to what the command may have.
 */
export const plainLauncher = [
  enterGroup("$5"),
  closeOthers(6),
  "(",
  "  trap '' TERM HUP INT QUIT",
  "  exec >/dev/null 2>&1 6>&-",
  "  read -r -u 3",
  '  if [ -n "$5" ]; then',
  '    echo 0 >"$5/pids.max"',
  '    for round in 1 2; do while read -r p; do [ "$p" = "$BASHPID" ] || kill -KILL "$p"; done <"$5/cgroup.procs"; done',
  "  fi",
  "  for e in /proc/[0-9]*/environ; do",
  "    p=${e#/proc/}; p=${p%/environ}",
  '    [ "$p" = "$BASHPID" ] && continue',
  `    mapfile -d '' -t v <"$e" && case " \${v[*]} " in *" HAFT_RUN=$HAFT_RUN "*) kill -KILL "$p" ;; esac`,
  "  done",
  "  kill -KILL 0",
  ") &",
  "echo began $! >&6",
  "exec 3<&- 6>&-",
  "read -r _ _ _ tasks _ </proc/loadavg",
  '{ ulimit -c 0; ulimit -f "$2"; ulimit -n "$3"; ulimit -u $((${tasks#*/} + $4)); } 2>/dev/null',
  'exec "$BASH" -o pipefail -c -- "$1"'
].join("\n")

/** The mark of a command's processes, as it stands in their environment. */
export const markName = "HAFT_RUN"

/**
 * Run once inside a namespace, to see what a command would have: no capability, no variable and no descriptor too many, no
 * network, and nothing of this process. Says `isolated` if that is so.
 */
export const probe = (variables: ReadonlyArray<string>, network: boolean): string =>
  [
    'while read -r k v; do [ "$k" = CapEff: ] && [ -n "${v//0/}" ] && exit 1; done </proc/self/status',
    `for v in $(compgen -e); do case " ${variables.join(" ")} PWD OLDPWD SHLVL _ " in *" $v "*) ;; *) exit 2 ;; esac; done`,
    // One more is the directory that is being listed.
    "set -- /proc/self/fd/*; [ $# -le 4 ] || exit 3",
    '[ -z "$(</proc/1/environ)" ] || exit 4',
    network ? ":" : "n=0; while read -r l; do n=$((n+1)); done </proc/net/dev; [ $n -le 3 ] || exit 5",
    "echo isolated"
  ].join("\n")
