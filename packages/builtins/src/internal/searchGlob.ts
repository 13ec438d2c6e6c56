/** What a glob of a call may look like. The engine matches it; here it is only kept from promising what is never found. */

/** Why a glob is refused. */
export type Fault = "Absolute" | "Parent" | "Negated"

export const faultOf = (glob: string): Fault | undefined => {
  if (glob.startsWith("!")) return "Negated"
  if (parent.test(glob)) return "Parent"
  return absolute.test(glob) ? "Absolute" : undefined
}

/** Also where an alternative of braces begins or ends. */
const parent = /(?:^|[/{},])\.\.(?:$|[/{},])/

const absolute = /^\{*\/|^\{[^}]*[{,]\//

/** To the engine a glob is a wish that beats every ignore file; one that fits everything would bring them all back. */
const everything: ReadonlySet<string> = new Set(["*", "**", "**/*", "**/**"])

/** As the engine knows it, or nothing if everything fits. */
export const normalized = (glob: string): string | undefined => {
  const text = glob.startsWith("./") ? glob.slice(2) : glob
  return text === "" || everything.has(text) ? undefined : text
}
