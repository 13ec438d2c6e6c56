/** The words, escapes and patterns of JSON, and what models write in their place. */

/** What is not JSON and can be read in one way only. */
export type Liberty =
  | "single_quotes"
  | "unquoted_key"
  | "trailing_comma"
  | "comment"
  | "python_constant"
  | "raw_control_character"
  | "bad_escape"
  | "escaped_whitespace"

type Words = ReadonlyMap<string, boolean | null>

export const words: Words = new Map<string, boolean | null>([
  ["true", true],
  ["false", false],
  ["null", null]
])

export const pythonWords: Words = new Map<string, boolean | null>([
  ["True", true],
  ["False", false],
  ["None", null]
])

export const allWords = [...words.keys(), ...pythonWords.keys()]

/** Code units by the code unit of the letter that stands for each. */
export const escapes: ReadonlyMap<number, number> = new Map(
  [
    ['"', '"'],
    ["\\", "\\"],
    ["/", "/"],
    ["b", "\b"],
    ["f", "\f"],
    ["n", "\n"],
    ["r", "\r"],
    ["t", "\t"]
  ].map(([letter = "", character = ""]) => [letter.charCodeAt(0), character.charCodeAt(0)])
)

/** A number of JSON, whole. */
export const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Each is set to the position first, so that one of each will do. */
export const sticky = {
  space: /[ \t\n\r]*/y,
  writtenSpace: /(?:\\[nrt])+/y,
  // oxlint-disable-next-line no-control-regex
  plain: /[^"\\\u0000-\u001f]*/y,
  // oxlint-disable-next-line no-control-regex
  plainInSingle: /[^'\\\u0000-\u001f]*/y,
  fourDigits: /[\da-fA-F]{1,4}/y,
  line: /[^\n\r]*/y,
  identifier: /[$_\p{ID_Start}][$\p{ID_Continue}]*/uy,
  numeric: /[-+.\deE]+/y,
  word: /[A-Za-z]+/y
}
