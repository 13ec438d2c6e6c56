/**
 * The only module that names files to the operating system. A pin stands for one file or directory that was reached, and
 * every further step goes one name on from a pin, so that no path from outside is ever opened as a whole.
 */
import * as Fs from "node:fs"
import * as Promises from "node:fs/promises"

/** Linux, on every architecture that Node is built for. Missing in Node's constants. */
const O_PATH = 0o10000000

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = Fs.constants

/** What confines the walk: descriptors that nobody can exchange, or checks of names that somebody could. */
export type Confinement = "strict" | "best-effort"

export interface Pin {
  /** Where the system finds it. */
  readonly place: string
  readonly stats: Fs.BigIntStats
  readonly release: () => void
}

export interface Access {
  readonly confinement: Confinement
  /** Pins what is at a place, a link itself and not what it leads to. */
  readonly pin: (place: string) => Pin
  /** Opens what is pinned. Only for regular files and directories: anything else may block or act. */
  readonly open: (pin: Pin, flags: number) => Promise<Promises.FileHandle>
}

/** One name below a pin. Anything but a single name would let the kernel walk, which only the walk here may do. */
export const at = ({ place }: Pick<Pin, "place">, name: string): string => {
  if (name === "" || name === "." || name === ".." || /[/\0]/.test(name)) throw new TypeError("not a single name")
  return `${place}/${name}`
}

/** A pin is a descriptor that reads nothing; `descriptors` is the directory in which the system shows them. */
export const strict = (descriptors: string): Access => ({
  confinement: "strict",
  pin: (place) => pinned(Fs.openSync(place, O_PATH | O_NOFOLLOW), descriptors),
  open: ({ place }, flags) => Promises.open(place, flags)
})

const pinned = (descriptor: number, descriptors: string): Pin => {
  const release = () => Fs.closeSync(descriptor)
  try {
    return { place: `${descriptors}/${descriptor}`, stats: Fs.fstatSync(descriptor, { bigint: true }), release }
  } catch (cause) {
    release()
    throw cause
  }
}

/** For systems that do not show descriptors. Someone who exchanges directories meanwhile can still win. */
export const bestEffort: Access = {
  confinement: "best-effort",
  pin: (place) => ({ place, stats: Fs.lstatSync(place, { bigint: true }), release: () => undefined }),
  open: async (pin, flags) => {
    const handle = await Promises.open(pin.place, flags | O_NOFOLLOW | O_NONBLOCK)
    if (await isStill(pin, handle)) return handle
    await handle.close()
    throw stale()
  }
}

/** As the system says that something is no longer where it was. */
const stale = (): Error => Object.assign(new Error("ESTALE"), { code: "ESTALE", syscall: "open" })

const isStill = async ({ place, stats }: Pin, handle: Promises.FileHandle): Promise<boolean> => {
  const opened = await handle.stat({ bigint: true })
  return opened.dev === stats.dev && opened.ino === stats.ino && (await Promises.realpath(place)) === place
}

/** Whether the system shows descriptors there, so that the walk can be strict. */
export const isStrictPossible = (descriptors: string, directory: string): boolean => {
  try {
    const pin = strict(descriptors).pin(directory)
    try {
      return Fs.statSync(`${pin.place}/.`, { bigint: true }).ino === pin.stats.ino
    } finally {
      pin.release()
    }
  } catch {
    return false
  }
}

/** The host's own path to a root, and not one from a call. */
export const realPath = (path: string): string => Fs.realpathSync(path)

/** Makes a directory of the host's own that nobody else may enter, unless it is there. Tells whether it is as private. */
export const makePrivateDirectory = (path: string): boolean => {
  Fs.mkdirSync(path, { recursive: true, mode: 0o700 })
  const { mode, uid } = Fs.statSync(path)
  return (mode & 0o077) === 0 && uid === (process.geteuid?.() ?? uid)
}

/** The text of a link, or nothing if it is no longer a link or not in UTF-8. */
export const linkText = (parent: Pin, name: string): string | undefined => {
  const bytes = Fs.readlinkSync(at(parent, name), { encoding: "buffer" })
  const text = bytes.toString("utf8")
  return Buffer.from(text, "utf8").equals(bytes) ? text : undefined
}

/** The type of the file system, as a number that the kernel gives. */
export const fileSystemType = ({ place }: Pin): number => Fs.statfsSync(place).type

/** Throws what opening for writing would. Replacing by rename alone would not notice. */
export const assertWritable = ({ place }: Pin): void => Fs.accessSync(place, Fs.constants.W_OK)

export const openForReading = (access: Access, pin: Pin): Promise<Promises.FileHandle> => access.open(pin, O_RDONLY)

/** Not a descriptor that reads nothing: such a one cannot be flushed. */
export const openDirectory = (access: Access, pin: Pin): Promise<Promises.FileHandle> =>
  access.open(pin, O_RDONLY | O_DIRECTORY)

export const list = ({ place }: Pin) => Promises.readdir(place, { withFileTypes: true, encoding: "buffer" })

/** Fails if the name is taken, even by a link. */
export const createFile = (parent: Pin, name: string, mode: number): Promise<Promises.FileHandle> =>
  Promises.open(at(parent, name), O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, mode)

/** Takes a free name with an empty file. */
export const reserve = (parent: Pin, name: string): void => Fs.closeSync(Fs.openSync(at(parent, name), "wx"))

export const createDirectory = (parent: Pin, name: string): void => Fs.mkdirSync(at(parent, name))

export const removeDirectory = (parent: Pin, name: string): void => Fs.rmdirSync(at(parent, name))

export const rename = (from: Pin, name: string, to: Pin, newName: string): void =>
  Fs.renameSync(at(from, name), at(to, newName))

/** Fails if the new name is taken. */
export const link = (parent: Pin, name: string, newName: string): void =>
  Fs.linkSync(at(parent, name), at(parent, newName))

export const unlink = (parent: Pin, name: string): void => Fs.unlinkSync(at(parent, name))

/** A held directory below which a program runs, by the place that leads to it. */
export type Place = Pick<Pin, "place">

/** What stands below a held directory. The names between are walked by the kernel, so this is for looking and not for opening. */
export const entriesBelow = ({ place }: Place, names: ReadonlyArray<string>): ReadonlyArray<Fs.Dirent> => {
  try {
    return Fs.readdirSync([place, ...names].join("/"), { withFileTypes: true })
  } catch {
    // Gone meanwhile, or not for this user to see: then nobody who runs as this user can change it either.
    return []
  }
}

/** Which file, directory or link stands below a held directory. */
export const statsBelow = ({ place }: Place, names: ReadonlyArray<string>): Fs.BigIntStats | undefined => {
  try {
    return Fs.lstatSync([place, ...names].join("/"), { bigint: true })
  } catch {
    return undefined
  }
}

/** Gives something in a held directory another name. */
export const moveAside = (parent: Place, name: string, newName: string): void =>
  Fs.renameSync(at(parent, name), at(parent, newName))

/** What is left on a file system. */
export interface Room {
  readonly bytes: number
  readonly files: number
}

/** Nothing where it cannot be looked at. */
export const roomAt = async (place: string): Promise<Room | undefined> => {
  try {
    const { bavail, bsize, ffree } = await Promises.statfs(place)
    return { bytes: bavail * bsize, files: ffree }
  } catch {
    return undefined
  }
}

/** A file of the host that has no name any more: it is its holder's alone, and gone when it is closed, even by a crash. */
export const nameless = async (directory: string): Promise<Promises.FileHandle> => {
  const own = await Promises.mkdtemp(`${directory}/haft-`)
  try {
    const handle = await Promises.open(`${own}/log`, "wx+", 0o600)
    await Promises.unlink(`${own}/log`)
    return handle
  } finally {
    await Promises.rmdir(own)
  }
}
