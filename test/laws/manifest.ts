/** The laws: what holds for every tool, registration and call, whatever else changes. `docs/laws.md` lists them. */
export const laws = {
  "single-executor": "A tool runs the one executor it was made with, and nothing else.",
  "codec-boundary":
    "An executor sees decoded input, a projection sees decoded input and encoded output, and everything outside sees JSON.",
  "durable-identity":
    "Records of a call carry exactly the session, agent, message and call ids that the runner supplied.",
  "scoped-registration": "Closing a Scope removes exactly its registration and reveals what was there before.",
  "captured-execution": "Once a call has resolved its tool, changes of registrations cannot alter it.",
  "stale-rejection": "A call never executes a registration other than the one that was advertised for its turn.",
  "storage-encapsulation":
    "What a tool returns does not depend on how much of it a model is shown or where it is kept.",
  "newest-wins": "Within a placement the newest active registration of a name is the effective one.",
  "location-over-application": "A Location's registration of a name beats the application's.",
  "record-captured-at-registration": "Changing a record after it was registered changes nothing.",
  "registration-is-atomic": "A record is registered as a whole or not at all.",
  "invalid-input-never-executes": "Arguments that the input codec refuses never reach the executor.",
  "invalid-output-never-succeeds": "A value that the output codec refuses never becomes a success.",
  "advertised-is-accepted":
    "Every JSON value that is valid under the advertised schema decodes, unless a check that JSON Schema cannot express refuses it.",
  "repair-identity": "Valid arguments come out of repair as they went in, without a warning.",
  "repair-is-reported": "Every change that repair makes to arguments is reported.",
  "interruption-is-not-a-result": "Interrupting a call interrupts it; no failure or success is made of it.",
  "defects-are-not-results": "A bug in a tool is a defect; no failure or success is made of it.",
  "one-outcome-per-call": "Every call that was begun ends in exactly one recorded outcome.",
  "settled-once": "A call identity is executed at most once, however often it is asked for.",
  "every-model-visible-text-is-bounded": "Everything that a model reads is bounded, failures and rejections included.",
  "retention-failure-is-operational": "If a complete output cannot be kept, the call does not succeed.",
  "media-stays-native": "Media is never turned into text, and keeps its place among the parts.",
  "retained-is-complete": "What is said to be kept is kept to the last byte.",
  "materialization-holds-no-handler": "Holding a turn keeps no executor alive.",
  "siblings-are-independent": "What happens to one call of a turn does not touch the others.",
  "secrets-never-leave": "The value of a secret appears in no settlement, record, log, span or message.",
  "deadline-is-kept": "A call with a deadline ends by it, even if its executor does not.",
  "denied-means-untouched": "A refused permission leaves the world as it was, and tells nothing about it.",
  "plugins-fail-alone": "A plugin that cannot be installed changes nothing but what is said about it.",
  "replaced-without-a-gap":
    "While a plugin is replaced, what both versions have is offered at every moment, and a call that runs ends on its own version.",
  "every-call-has-one-end": "Every call in a history has exactly one end, whatever interrupted or failed its run."
} as const

export type LawID = keyof typeof laws

/** What is still to come. A closed list: a law or a case that waited for a misspelt file would wait for ever. */
export const comingFiles = ["packages/remote/package.json"] as const

export type ComingFile = (typeof comingFiles)[number]

/**
 * Laws about parts that do not exist yet, each with the file that will bring it. Once that file is there the law needs
 * a test, so this list can only shrink.
 */
export const open: Partial<Record<LawID, ComingFile>> = {}
