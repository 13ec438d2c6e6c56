/** One repair of one call's arguments: what it may do, how much of it, and the gate that everything passes. */
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import { watched } from "../budget.ts"
import { defaultLimits } from "../jsonLimits.ts"
import { countValues } from "../jsonValues.ts"
import { strictly } from "../strictly.ts"
import { ofIssue } from "../violations.ts"
import { bad, type Good, kept, type Outcome, type Spot } from "./outcome.ts"
import { type Reading, readText } from "./readText.ts"
import { isOn, type Kind, type Level } from "./warning.ts"

/** Values that all checks of one repair may look at together: alternatives and deep containers multiply them. */
const maxSteps = 2_000_000

/** Steps of one look through a proxy, which takes that much longer than a plain one. */
const stepsPerLook = 20

/** Why a repair was given up. Thrown inside it and caught where it began. */
export class Stop extends Error {
  readonly code: "too_complex" | "too_deep" | "too_large"

  constructor(code: Stop["code"]) {
    super(code)
    this.code = code
  }
}

/** What to do with a value that its schema refused: a value that may fit, or what is wrong with it. */
export type Attempt = (
  run: Run,
  ast: SchemaAST.AST,
  value: Schema.Json,
  spot: Spot,
  issue: SchemaIssue.Issue
) => Outcome

export interface Options {
  readonly level: Level
  /** The name under which the tool was called. */
  readonly name: string
  /** Whether a check may look at one value again and again, so that its looks have to be counted. */
  readonly multiplies: boolean
  readonly arguments: Schema.Json
  readonly attempt: Attempt
}

export class Run {
  readonly name: string
  private readonly options: Options
  private left = maxSteps
  private readonly readings = new Map<string, Reading | undefined>()
  private values: number | undefined
  private characters = 0
  private accepted: readonly [SchemaAST.AST, Schema.Json] | undefined

  constructor(options: Options) {
    this.name = options.name
    this.options = options
  }

  /** Whether this kind of repair is on. */
  does(kind: Kind): boolean {
    return isOn(this.options.level, kind)
  }

  /** Whether every kind of repair is on. */
  get isDefault(): boolean {
    return this.options.level === "default"
  }

  /** The gate: a value that fits is kept, and what is made of one that does not has to fit as well. */
  repair(ast: SchemaAST.AST, value: Schema.Json, spot: Spot): Outcome {
    const issue = this.issueOf(ast, value)
    return issue === undefined ? kept(value) : this.repairRefused(ast, value, spot, issue)
  }

  /** The gate's second half, for a value that it has refused already. */
  repairRefused(ast: SchemaAST.AST, value: Schema.Json, spot: Spot, issue: SchemaIssue.Issue): Outcome {
    return Result.flatMap(this.options.attempt(this, ast, value, spot, issue), (good: Good): Outcome => {
      const remaining = this.issueOf(ast, good.value)
      return remaining === undefined
        ? Result.succeed(good)
        : bad(ofIssue(remaining, { ...spot, value: good.value }), good.warnings)
    })
  }

  /** What the schema has against a value. */
  issueOf(ast: SchemaAST.AST, value: Schema.Json): SchemaIssue.Issue | undefined {
    if (this.accepted?.[0] === ast && this.accepted[1] === value) return undefined
    const issue = this.check(ast, value)
    if (issue === undefined) this.accepted = [ast, value]
    return issue
  }

  accepts(ast: SchemaAST.AST, value: Schema.Json): boolean {
    return this.issueOf(ast, value) === undefined
  }

  spend(steps: number): void {
    this.left -= steps
    if (this.left < 0) throw new Stop("too_complex")
  }

  /** Reads the text of a field, once for all alternatives that might want it. What it holds counts as if it were sent. */
  read(text: string, { depth }: Spot): Reading | undefined {
    const reading = this.readings.has(text) ? this.readings.get(text) : this.readOnce(text)
    if (reading !== undefined && depth - 1 + reading.depth > defaultLimits.depth) throw new Stop("too_deep")
    return reading
  }

  private readOnce(text: string): Reading | undefined {
    this.characters += text.length
    if (this.characters > defaultLimits.characters) throw new Stop("too_large")
    this.values ??= countValues(this.options.arguments)
    const limits = { ...defaultLimits, values: defaultLimits.values - this.values }
    const read = readText(text, { isTolerant: this.isDefault, hasTail: false, limits })
    if (Result.isFailure(read) && (read.failure.code === "too_large" || read.failure.code === "too_deep")) {
      throw new Stop(read.failure.code)
    }
    const reading = Result.getOrUndefined(read)
    this.values += reading?.values ?? 0
    this.readings.set(text, reading)
    return reading
  }

  private check(ast: SchemaAST.AST, value: Schema.Json): SchemaIssue.Issue | undefined {
    if (!this.options.multiplies) this.spend(countValues(value))
    const exit = gateOf(ast)(
      this.options.multiplies ? watched(value, (looks) => this.spend(looks * stepsPerLook)) : value
    )
    if (this.left < 0) throw new Stop("too_complex")
    if (Exit.isSuccess(exit)) return undefined
    const error = Cause.findError(exit.cause)
    if (Result.isSuccess(error)) return error.success
    // A check that throws is a bug of its author.
    throw Cause.squash(error.failure)
  }
}

type Gate = (value: unknown) => Exit.Exit<unknown, SchemaIssue.Issue>

const gates = new WeakMap<SchemaAST.AST, Gate>()

/** Compiled once for each schema. What is sent has no transformations left, so that checking it never waits. */
const gateOf = (ast: SchemaAST.AST): Gate => {
  const schema = Schema.make<Schema.Codec<unknown>>(ast)
  const gate = gates.get(ast) ?? strictly(ast, (options) => SchemaParser.decodeUnknownExit(schema, options))
  gates.set(ast, gate)
  return gate
}
