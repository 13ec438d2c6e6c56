/** Places that no file tool may touch, whatever a policy says: the host's own stores. */
import * as PathText from "./pathText.ts"

export class Protection {
  private readonly places: ReadonlyArray<ReadonlyArray<string>>

  /** Paths of files or directories; relative ones are below `root`. */
  constructor(root: string, paths: ReadonlyArray<string>) {
    this.places = paths.map((path) => folded(PathText.isAbsolute(path) ? path : `${root}/${path}`))
  }

  /** Also for places where nothing is yet. */
  covers(place: string): boolean {
    const names = folded(place)
    return this.places.some((protectedNames) => protectedNames.every((name, index) => name === names[index]))
  }
}

/** Two spellings that some file system takes for one name are one here. */
const folded = (path: string): ReadonlyArray<string> =>
  PathText.normalized(path).map((name) => name.normalize("NFC").toLowerCase())
