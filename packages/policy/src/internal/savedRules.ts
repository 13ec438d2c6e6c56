/** Rules that people saved. All of them allow, so their order means nothing and each is kept once. */
import type * as Permission from "@haft/core/Permission"
import type * as Rule from "../Rule.ts"

export const isSameRule = (left: Rule.Saved, right: Rule.Saved): boolean =>
  left.action === right.action && left.resource === right.resource

/** Those to add to what is there already. */
export const newRules = (
  saved: ReadonlyArray<Rule.Saved>,
  added: ReadonlyArray<Rule.Saved>
): ReadonlyArray<Rule.Saved> =>
  added.filter((rule, index) => ![...saved, ...added.slice(0, index)].some((other) => isSameRule(other, rule)))

/** What `always` saves: exactly the patterns of the request, for its own action. */
export const rulesOf = ({ action, save }: Permission.Request): ReadonlyArray<Rule.Saved> =>
  save.map((resource) => ({ action, resource }))
