/** Why a command is not read part by part, and what else a person who is asked about one has to know. */

export const tooLong = (length: number, limit: number): string =>
  `it has ${length} characters, and ${limit} are the limit for reading it part by part`

export const tooInvolved = "it has too many brackets, quotes and expansions for its length to be read in good time"

export const tooManyParts = (limit: number): string => `it runs more than ${limit} commands`

export const tooNested = (limit: number): string => `programs in it run each other more than ${limit} levels deep`

export const controls = "it contains control characters or text that is not well formed"

export const marks = "it uses the brackets that mark what only running it tells"

export const empty = "there is no command in it"

export const syntax = "its syntax is not that of the shell, or not complete"

export const unclear = "it uses a form of the shell that is not read part by part"

/** For the details of a prompt. */
export const unparsed = (reason: string): string =>
  `The command could not be read part by part: ${reason}. No rule allows it, and an answer holds for this call alone.`

export const notIsolated =
  "NOT ISOLATED: it can reach all files and the network as the user who runs this program. Every call asks."
