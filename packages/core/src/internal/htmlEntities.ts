/** Entities of HTML in text that a provider has escaped on its way: decoded once, and only those that say one thing. */

const named: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["nbsp", "\u00a0"]
])

/** `escape` writes a decoded character where the text has it in a string. */
export const decodeEntities = (text: string, escape: (character: string) => string): string =>
  text.replace(/&(?:#([0-9]{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-z]{2,4}));/g, (entity, decimal, hex, name) => {
    const character = named.get(name) ?? characterOf(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal))
    return character === undefined ? entity : escape(character)
  })

/** Nothing for what is no character. */
const characterOf = (code: number): string | undefined =>
  code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : undefined
