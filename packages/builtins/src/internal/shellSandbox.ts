/** What a command in a namespace sees and may do, as arguments of bubblewrap. */
import { firstPlace } from "./shellScripts.ts"

/** A file or directory that is laid over the same place, so that it cannot be moved or, read-only, not be changed. */
export interface Mount {
  readonly path: string
  /** Which one it has to be. */
  readonly place: string
  readonly isReadOnly: boolean
}

/** What is the same for every command of a Location. */
export interface View {
  readonly network: boolean
  /** All that a command finds in its environment; secrets among them. */
  readonly variables: ReadonlyMap<string, string>
  /** Besides the system's programs. */
  readonly readOnlyPaths: ReadonlyArray<string>
}

/** Where one command runs. */
export interface Setting {
  readonly root: string
  readonly cwd: string
  /** In the order in which they are laid over the root. */
  readonly mounts: ReadonlyArray<Mount>
}

/** Enough for a build's temporary files, and little enough of the machine's memory. */
const temporaryBytes = 256 * 1024 * 1024

export const home = "/home/user"

/** In memory, and gone with the command. */
export const temporaryPaths = ["/tmp", "/dev/shm", home]

const systemPaths = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/alternatives", "/etc/ld.so.cache"]

/** To find hosts and to trust them. */
const networkPaths = [
  "/etc/resolv.conf",
  "/etc/hosts",
  "/etc/nsswitch.conf",
  "/etc/ssl",
  "/etc/pki",
  "/etc/ca-certificates"
]

/** What a namespace always has of its own. The network is added unless the host wants to share it. */
const unshared = [
  "--unshare-user",
  "--unshare-ipc",
  "--unshare-pid",
  "--unshare-uts",
  "--unshare-cgroup-try",
  "--disable-userns"
]

/** What no command may have, and who hears of its end. */
const fixed = ["--die-with-parent", "--new-session", "--cap-drop", "ALL", "--json-status-fd", "5", "--clearenv"]

const ownPaths = ["--proc", "/proc", "--dev", "/dev"]

/**
 * What is none of the places to write to does not even seem to change. Settings of the kernel in `/proc/sys` belong to the
 * superuser, who needs no capability to write them, and what is in `/dev` is in memory.
 */
const readOnly = ["/proc", "/dev", "/"].flatMap((path) => ["--remount-ro", path])

/** In the order in which they take effect: a later one lies over an earlier one. */
export const sandboxArguments = (view: View, setting: Setting): ReadonlyArray<string> => [
  ...unshared,
  ...(view.network ? [] : ["--unshare-net"]),
  ...fixed,
  ...[...view.variables].flatMap(([name, value]) => ["--setenv", name, value]),
  ...[...systemPaths, ...(view.network ? networkPaths : [])].flatMap((path) => ["--ro-bind-try", path, path]),
  ...ownPaths,
  ...temporaryPaths.flatMap((path) => ["--size", String(temporaryBytes), "--tmpfs", path]),
  ...view.readOnlyPaths.flatMap((path) => ["--ro-bind", path, path]),
  "--bind-fd",
  "4",
  setting.root,
  ...setting.mounts.flatMap(({ isReadOnly, path }, index) => [
    isReadOnly ? "--ro-bind-fd" : "--bind-fd",
    String(firstPlace + index),
    path
  ]),
  ...readOnly,
  "--chdir",
  setting.cwd
]
