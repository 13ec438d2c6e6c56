/** Freezes a JSON document that many hands will hold. Already frozen parts are taken to be frozen inside, too. */
export const deepFreeze = <A extends object>(value: A): A => {
  if (Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const child of Object.values(value)) if (typeof child === "object" && child !== null) deepFreeze(child)
  return value
}
