/**
 * Makes visible what a person could not see or would misread in text of models, tools and files. What it gives can be read
 * back without loss. For whoever shows such text.
 */

/**
 * Everything that is no character of its own, or none that is assigned: controls, formats, surrogates, private use; line
 * and paragraph separators; every space but the ordinary one; and what fonts are told to ignore.
 */
const hidden = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|[^\S ]/u

const mark = /\p{M}/u

/** Most of what is shown: printable ASCII, and no backslash. A large file must not hold up the one who is asked. */
const plain = /^[ -[\]-~]*$/

/** No language needs more on one letter; beyond that they cover the lines above and below. */
const maxMarks = 4

/** As one line: a line feed becomes `\n`. */
export const onOneLine = (text: string): string => written(text, (next) => next.startsWith("n") || next === "u{")

/** One line of several, where a line feed never has to be written. */
export const asLine = (line: string): string => written(line, (next) => next === "u{")

/** A `\` that could be taken for the beginning of one of ours is written as such. */
const written = (text: string, looksLikeOurs: (next: string) => boolean): string => {
  if (plain.test(text)) return text
  const characters = [...text]
  let marks = 0
  const shown = characters.map((character, index) => {
    marks = mark.test(character) ? marks + 1 : 0
    if (character === "\n") return String.raw`\n`
    if (character === "\\") {
      const next = characters.slice(index + 1, index + 3).join("")
      return looksLikeOurs(next) ? escaped(character) : character
    }
    return marks > maxMarks || hidden.test(character) ? escaped(character) : character
  })
  return shown.join("")
}

const escaped = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16)}}`
