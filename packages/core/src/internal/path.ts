/** Paths into arguments as a model reads them: `a.b[2].c`, and `a["x.y"]` for a key that is no plain word. */
export type Path = ReadonlyArray<PropertyKey>

const plain = /^[A-Za-z_$][\w$-]*$/

export const formatPath = (path: Path): string => path.map(segment).join("").replace(/^\./, "")

const segment = (key: PropertyKey): string => {
  if (typeof key === "number") return `[${key}]`
  const name = String(key)
  return plain.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`
}
