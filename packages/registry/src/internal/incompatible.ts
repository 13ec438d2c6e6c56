/** Why a tool cannot be offered to a provider, for whoever has to change the tool or the choice of tools. */
import type { Reason } from "./unfitSchema.ts"

const advice = "Use a smaller schema, another provider's profile, or leave the tool out."

export const explain = (reason: Reason): string => {
  switch (reason._tag) {
    case "TooManyTools":
      return `A request can have ${reason.limit} tools at most, and this is one more. Hide tools that the turn does not need.`
    case "NameTooLong":
      return `A name can have ${reason.limit} characters at most. Register the tool under a shorter one.`
    case "TooManyProperties":
      return `A schema can have ${reason.limit} properties at most, and this has ${reason.count}. ${advice}`
    case "TooDeep":
      return `A schema can have ${reason.limit} objects inside each other, and this has ${reason.count}. ${advice}`
    case "TooManyEnumMembers":
      return `A schema can have ${reason.limit} enum members at most, and this has ${reason.count}. ${advice}`
    case "TooMuchText":
      return `Names and enum members can have ${reason.limit} characters in all, and these have ${reason.count}. ${advice}`
    case "EnumTooLong":
      return `The members of a long enum can have ${reason.limit} characters in all, and these have ${reason.count}. ${advice}`
    case "RecursiveSchemaTooLarge":
      return `A recursive schema has to be told in words, in ${reason.limit} characters at most, and this has ${reason.count}. ${advice}`
    case "TooLarge":
      return `Written out, the schema has more than ${reason.limit} parts or alternatives. ${advice}`
    case "Endless":
      return "The schema refers to itself without an end, or is too deep to be followed. Leave the tool out."
    case "TwoReferences":
      return "allOf combines two schemas that both refer to themselves, which cannot be written as one. Combine them by hand."
  }
}

/** `a.b.*.c`, where a star stands for every element or key; empty for the whole schema. */
export const shownPath = (path: ReadonlyArray<string>): string => path.join(".")
