/** Makes visible what a person could not see or would misread in the text of a model. */

/**
 * Everything that is no character of its own, or none that is assigned: controls, formats, surrogates, private use; line
 * and paragraph separators; every space but the ordinary one; and what fonts are told to ignore.
 */
const hidden = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|[^\S ]/gu

/** No language needs more marks on one letter; beyond that they cover the lines above and below. */
const piledUp = /(?<=\p{M}{4})\p{M}/gu

/** One line of several. A `\` that could be taken for one of ours is written as such, so that nothing is lost. */
export const asLine = (line: string): string =>
  line
    .replaceAll(/\\(?=u\{)/g, escaped)
    .replaceAll(piledUp, escaped)
    .replaceAll(hidden, escaped)

const escaped = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16)}}`

/** Behind a bar on every line, so that no text can pass for one of ours. */
export const framed = (text: string): ReadonlyArray<string> => text.split("\n").map((line) => `  | ${asLine(line)}`)
