/** Made by a literal or by `JSON.parse`, in whichever realm: a date or a map has a longer chain of prototypes. */
export const isPlain = (value: object): value is Readonly<Record<string, unknown>> => {
  const prototype: object | null = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
