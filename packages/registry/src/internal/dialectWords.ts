/** What a dialect has no keyword for, said in a description. */
import type { Profile } from "./modelProfile.ts"
import { pick } from "./schemaKeywords.ts"
import * as Sentences from "./sentences.ts"
import type { Keywords, Shape } from "./shape.ts"

/** Whether a regular expression looks ahead or behind. `(?:` and names of groups do not. */
export const looksAround = (pattern: string): boolean => /\(\?<?[=!]/.test(pattern)

/** Keywords of a shape as the dialect can express them, and a description that says the rest. */
export const speak = (profile: Profile, { rules, said }: Shape, note?: string): Keywords => {
  const spoken = { ...said, ...rules }
  const { description, ...others } = spoken
  const kept = pick(others, (keyword, value) => isUnderstood(profile, keyword, value))
  const lost = pick(others, (keyword) => !(keyword in kept))
  const text = Sentences.description(typeof description === "string" ? description : undefined, note, lost)
  return text === undefined ? kept : { ...kept, description: text }
}

export const understands = ({ keywords }: Profile, keyword: string): boolean =>
  keywords === "all" || keywords.includes(keyword)

const isUnderstood = (profile: Profile, keyword: string, value: unknown): boolean => {
  if (!understands(profile, keyword)) return false
  if (keyword === "format") return profile.formats === "all" || profile.formats.some((format) => format === value)
  return keyword !== "pattern" || profile.lookaround || !looksAround(String(value))
}
