/** What converting one page may cost. The thread that converts loads this, so nothing else comes with it. */

/** No page that a person wrote is nested deeper, and the time to read one grows with the square of the depth. */
export const maxDepth = 500

/** A megabyte takes one to two seconds. A page counts as it came or as it was read, whichever is less. */
export const maxMarkdownLength = 1024 * 1024

/** A page that takes longer was made to. */
export const timeLimitMs = 3000

/** Several times what the largest page needs, and little enough for several at once. */
export const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }

/** Each keeps a core busy, and more would only make each other late. */
export const maxConversions = 2

/** A longer one is no title, and would be all that a model reads of the page. */
export const maxTitleLength = 300
