/** Makes prepared changes visible, all of them or none. Between two names nothing is ever half written. */
import { codeOf } from "./attempt.ts"
import { ChangedError, UncertainError } from "./fileErrors.ts"
import { identityOf } from "./identity.ts"
import { type Access, at, link, type Pin, rename, reserve, unlink } from "./pins.ts"

/** One name that is to change. */
export interface Step {
  readonly path: string
  readonly access: Access
  readonly directory: Pin
  readonly name: string
  /** The identity of what has this name, if anything has. */
  readonly before: string | undefined
  /** The new content under a temporary name; without one the file is removed. */
  readonly temporary: string | undefined
  /** Where the old file is kept until everything is done. */
  readonly backup: string
}

/** Undoes in reverse what was done, and throws, if one of them cannot be done. */
export const commit = (steps: ReadonlyArray<Step>): void => {
  const undo: Array<() => ReadonlyArray<UncertainError>> = []
  try {
    for (const step of steps) undo.push(undoing(step.path, apply(step, steps.length > 1)))
  } catch (cause) {
    const [uncertain] = undo.toReversed().flatMap((back) => back())
    throw uncertain ?? cause
  }
}

/** A way back that is blocked as well leaves something half done, which must not be called undone. */
const undoing =
  (path: string, back: () => void): (() => ReadonlyArray<UncertainError>) =>
  () => {
    try {
      back()
      return []
    } catch (cause) {
      return [new UncertainError({ path, code: codeOf(cause) ?? "" })]
    }
  }

/** Gives what undoes it. A single change needs no way back, because it happens or it does not. */
const apply = (step: Step, keepsOld: boolean): (() => void) => {
  if (step.before === undefined) return create(step)
  assertUnchanged(step)
  if (step.temporary === undefined) return remove(step)
  return keepsOld ? exchange(step, step.temporary) : replace(step, step.temporary)
}

/** What remains between this look and the rename is the time of two system calls. */
const assertUnchanged = ({ access, before, directory, name, path }: Step): void => {
  const pin = pinIfThere(access, directory, name)
  pin?.release()
  if (pin === undefined || identityOf(pin.stats) !== before) throw new ChangedError({ path })
}

/** Nothing where nothing has this name. */
export const pinIfThere = (access: Access, directory: Pin, name: string): Pin | undefined => {
  try {
    return access.pin(at(directory, name))
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return undefined
    throw cause
  }
}

/** Never over something that appeared meanwhile: a link fails where a rename would replace. */
const create = ({ directory, name, path, temporary }: Step): (() => void) => {
  if (temporary === undefined) throw new ChangedError({ path })
  try {
    if (linked(directory, temporary, name)) unlink(directory, temporary)
    else takeOver(directory, temporary, name)
  } catch (cause) {
    throw codeOf(cause) === "EEXIST" ? new ChangedError({ path }) : cause
  }
  return () => unlink(directory, name)
}

/** A name that is taken with an empty file is nobody else's to take. */
const takeOver = (directory: Pin, temporary: string, name: string): void => {
  reserve(directory, name)
  rename(directory, temporary, directory, name)
}

const replace = ({ directory, name }: Step, temporary: string): (() => void) => {
  rename(directory, temporary, directory, name)
  return () => undefined
}

const exchange = ({ backup, directory, name }: Step, temporary: string): (() => void) => {
  if (!linked(directory, name, backup)) rename(directory, name, directory, backup)
  const undo = () => rename(directory, backup, directory, name)
  try {
    rename(directory, temporary, directory, name)
  } catch (cause) {
    undo()
    throw cause
  }
  return undo
}

const remove = ({ backup, directory, name }: Step): (() => void) => {
  rename(directory, name, directory, backup)
  return () => rename(directory, backup, directory, name)
}

/** Some file systems have no second names, and some systems do not give them for files of others. */
const linked = (directory: Pin, name: string, newName: string): boolean => {
  try {
    link(directory, name, newName)
    return true
  } catch (cause) {
    if (["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(codeOf(cause) ?? "")) return false
    throw cause
  }
}
