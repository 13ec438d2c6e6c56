/** There is no such tool. */
import * as Leaf from "@haft/wire/Leaf"

/** Twice as much as a name has. What is longer is somebody's data, which nobody has to read again. */
const maxLength = 128

export const unknownTool = (name: string): Leaf.Leaf =>
  Leaf.make("Rejected.UnknownTool", {
    name: name.length <= maxLength ? name : `${name.slice(0, maxLength).toWellFormed()}…`
  })
