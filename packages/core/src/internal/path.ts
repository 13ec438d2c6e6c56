/** Paths into arguments as a model reads them, `a.b[2].c` or `a["x.y"]` for a key that is no plain word, and what is there. */
import * as Sentences from "./sentences.ts"

export type Path = ReadonlyArray<PropertyKey>

/** One step on the way to a value, and the steps before it. */
export interface Step {
  readonly key?: PropertyKey
  readonly holder?: Step
}

export const pathOf = ({ holder, key }: Step): Path =>
  holder === undefined || key === undefined ? [] : [...pathOf(holder), key]

const plain = /^[A-Za-z_$][\w$-]*$/

export const formatPath = (path: Path): string => path.map(segment).join("").replace(/^\./, "")

const segment = (key: PropertyKey): string => {
  if (typeof key === "number") return `[${key}]`
  const name = String(key)
  return plain.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`
}

/** The steps of a path that `formatPath` wrote; nothing if it was cut. */
export const parsePath = (text: string): ReadonlyArray<string | number> | undefined => {
  const path: Array<string | number> = []
  const step = /\.?([A-Za-z_$][\w$-]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y
  for (let at = 0; at < text.length; at = step.lastIndex) {
    step.lastIndex = at
    const [, plainKey, index, quoted] = step.exec(text) ?? []
    if (plainKey !== undefined) path.push(plainKey)
    else if (index !== undefined) path.push(Number(index))
    else if (quoted !== undefined) path.push(String(JSON.parse(quoted)))
    else return undefined
  }
  return path
}

/** Stands for what a schema has read out of a text: it was never an argument of its own. */
const insideText = Symbol("inside text")

export const childOf = (value: unknown, key: PropertyKey): unknown => {
  if (typeof value === "string" || value === insideText) return insideText
  return typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined
}

/** The type of a value as a model knows it, never the value. */
export const typeOf = (value: unknown): string => {
  if (value === undefined) return "nothing"
  if (value === null) return "null"
  if (value === insideText) return Sentences.insideText
  return Array.isArray(value) ? "list" : typeof value
}
