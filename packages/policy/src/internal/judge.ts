/** What rules say about a request. Pure: the same rules and the same request give the same verdict. */
import type * as Permission from "@haft/core/Permission"
import type * as Protected from "../Protected.ts"
import type * as Rule from "../Rule.ts"
import * as Pattern from "./pattern.ts"
import { type Subject, subjectOf } from "./subject.ts"
import * as Uncertain from "./uncertainText.ts"

export type Verdict =
  | { readonly _tag: "Allow" }
  /** Without a rule, a path is closed to tools. */
  | { readonly _tag: "Deny"; readonly rule: string | undefined }
  /** With those of the resources that no broad rule opens. */
  | { readonly _tag: "Ask"; readonly protectedPaths: ReadonlyArray<string> }

export type Judge = (saved: ReadonlyArray<Rule.Saved>, request: Permission.Request) => Verdict

/** One resource that is denied denies the request, and one that has to be asked for makes all of it a question. */
export const make = (rules: ReadonlyArray<Rule.Rule>, protection: Protected.Protection): Judge => {
  const host = rules.map(compiled)
  return (saved, { action, guarded = [], resources }) => {
    const remembered = saved.filter((one) => one.action === action).map(compiledSaved)
    const levelOf = (resource: string) =>
      protection(action, resource) ?? (guarded.includes(resource) ? "specific" : undefined)
    const opinions = (resources.length === 0 ? nothing : resources).map((resource) =>
      opinionOn({ host, remembered, level: levelOf(resource) }, action, resource)
    )
    const denied = opinions.find(({ effect }) => effect === "deny")
    if (denied !== undefined) return { _tag: "Deny", rule: denied.rule }
    if (opinions.every(({ effect }) => effect === "allow")) return { _tag: "Allow" }
    return { _tag: "Ask", protectedPaths: opinions.filter(({ isProtected }) => isProtected).map((one) => one.resource) }
  }
}

/** A request about nothing in particular is judged like one about the empty text. */
const nothing = [""]

interface Grounds {
  readonly host: ReadonlyArray<Compiled>
  readonly remembered: ReadonlyArray<Compiled>
  readonly level: Protected.Level | undefined
}

interface Opinion {
  readonly resource: string
  readonly effect: Rule.Rule["effect"]
  readonly rule: string | undefined
  readonly isProtected: boolean
}

/** What people saved answers only what the host's rules leave open, so that nobody's `always` opens what they deny. */
const opinionOn = ({ host, level, remembered }: Grounds, action: string, resource: string): Opinion => {
  const isProtected = level !== undefined
  if (level === "never") return { resource, effect: "deny", rule: undefined, isProtected }
  const subject = subjectOf(action, resource)
  const counts = (rule: Compiled) => isAbout(rule, subject) && (!isProtected || isSpecific(rule))
  const decisive = host.findLast(counts)
  const effect = decisive !== undefined && Uncertain.matches(decisive.resource, subject.text) ? decisive.effect : "ask"
  const isRemembered = effect === "ask" && remembered.some(counts)
  return { resource, effect: isRemembered ? "allow" : effect, rule: decisive?.name, isProtected }
}

interface Compiled {
  /** As the model is told it. */
  readonly name: string
  readonly action: Pattern.Pattern
  readonly resource: Pattern.Pattern
  readonly effect: Rule.Rule["effect"]
}

const compiled = ({ action, effect, resource }: Rule.Rule): Compiled => ({
  name: `${effect} ${action} ${resource}`,
  action: Pattern.compile(action),
  resource: Pattern.compile(resource),
  effect
})

/** The action that was saved is no pattern. */
const compiledSaved = ({ action, resource }: Rule.Saved): Compiled => ({
  name: `allow ${action} ${resource}`,
  action: [...action],
  resource: Pattern.compile(resource),
  effect: "allow"
})

/** A rule that allows has to match for sure; of one that does not, it is enough that it might. */
const isAbout = (rule: Compiled, { action, canBeAllowed, restrictedAs, text }: Subject): boolean =>
  rule.effect === "allow"
    ? canBeAllowed && Pattern.matches(rule.action, action) && Uncertain.matches(rule.resource, text)
    : restrictedAs.some((one) => Pattern.matches(rule.action, one)) && Uncertain.mightMatch(rule.resource, text)

/** Whether a rule counts for a protected path: one that allows has to name it, together with the action. */
const isSpecific = ({ action, effect, resource }: Compiled): boolean =>
  effect !== "allow" || (Pattern.isExact(action) && Pattern.isExact(resource))
