/** Every sentence of this package that a model, the author of rules or the person who is asked reads. */

/** What is wrong with a pattern, for the author of the rule. */
export const emptyPattern = 'the pattern is empty; write "*" for everything'

export const longPattern = (length: number, limit: number): string =>
  `the pattern has ${length} characters, and ${limit} are the limit; write several rules`

export const foreignPattern =
  "this looks like a regular expression or another kind of glob. Here * stands for any characters, / included, and ? " +
  "for exactly one; write a rule for each alternative. To mean one of [ ] { }, a ! or ^ at the beginning, a $ at the end " +
  "or a ( or ) beside + * ? or |, put \\ before it"

export const strayEscape =
  "a \\ stands only before one of * ? \\ [ ] { } ( ) ! ^ $, which then means itself; between the parts of a path write /"

export const invalidRules = (faults: ReadonlyArray<{ readonly path: string; readonly message: string }>): string =>
  ["The permission rules are not valid, and none of them counts:", ...faults.map(fault)].join("\n")

export const invalidObjects = (faults: ReadonlyArray<{ readonly path: string; readonly message: string }>): string =>
  [
    "The permission objects are not valid, and none of them counts:",
    ...faults.map(({ message, path }) => (path === "" ? `- ${message}` : `- ${path}: ${message}`))
  ].join("\n")

const fault = ({ message, path }: { readonly path: string; readonly message: string }): string =>
  path === "" ? `- ${message}` : `- rule ${path}: ${message}`

/** Why permission was refused, for the model. */
export const deniedByRule = (rule: string): string =>
  `The permission rule ${JSON.stringify(rule)} of this project forbids this. Do not look for a way around it: go on ` +
  "without it, or tell the user."

export const closedPath = "This path is closed to every tool. Go on without it."

export const rejected = "The user refused this. Do not try it again in another way."

export const stopped = "The user refused this and ended the turn."

export const expired = (limitMs: number): string =>
  `Nobody answered the question for permission within ${inWords(limitMs)}. Go on without it, or ask the user to be there.`

const inWords = (limitMs: number): string => {
  const seconds = Math.round(limitMs / 1000)
  return seconds >= 120 ? `${Math.round(seconds / 60)} minutes` : `${seconds} seconds`
}

export const unattended =
  "This needs a permission, and nobody is there to be asked. Go on without it, or tell the user which rule to add."

/** Where no rule would help. */
export const unattendedPerson =
  "This needs the permission of a person each time, and nobody is there to be asked. Go on without it, or tell the user."

export const closed = "The project was closed before anybody answered the question for permission."

export const spent = "The approval for this has been used already. Call the tool again to ask for another."

export const unrecorded = "The question for permission could not be written down, so it was not asked. Try again later."

/** For the person who is asked. */
export const askedElsewhere =
  "Another process asked this. If it is gone, the answer is used when the same call is made again."
