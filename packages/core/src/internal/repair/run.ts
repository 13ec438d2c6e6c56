/** One repair of one call's arguments: what it may do, how much of it, and the gate that everything passes. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"
import { defaultLimits } from "../jsonLimits.ts"
import { countValues } from "../jsonValues.ts"
import { isLiteral } from "../schemaPhrase.ts"
import { ofIssue } from "../violations.ts"
import { Gate } from "./gate.ts"
import { bad, type Good, kept, type Outcome, type Spot } from "./outcome.ts"
import { Outcomes } from "./outcomes.ts"
import { type Reading, readText } from "./readText.ts"
import { isOn, type Kind, type Level } from "./warning.ts"

/** Values that all checks of one repair may look at together: alternatives and deep containers multiply them. */
const maxSteps = 2_000_000

/** Steps of one attempt at a repair, which takes that much longer than a look at a value that fits. */
const stepsOf = (ast: SchemaAST.AST): number => {
  if (SchemaAST.isArrays(ast)) return 20
  return SchemaAST.isObjects(ast) || (SchemaAST.isUnion(ast) && !isLiteral(ast)) ? 60 : 10
}

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
  /** Whether a decoder may look at one value again and again, so that what it found is remembered. */
  readonly multiplies: boolean
  readonly arguments: Schema.Json
  readonly attempt: Attempt
}

export class Run {
  readonly name: string
  private readonly options: Options
  private left = maxSteps
  private readonly gate: Gate
  private readonly outcomes = new Outcomes()
  private readonly readings = new Map<string, Reading | undefined>()
  private values: number | undefined
  private characters = 0

  constructor(options: Options) {
    this.name = options.name
    this.options = options
    this.gate = new Gate(options.multiplies, (steps) => this.spend(steps))
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

  /** The gate's second half, for a value that it has refused already. Alternatives may ask for the same again. */
  repairRefused(ast: SchemaAST.AST, value: Schema.Json, spot: Spot, issue: SchemaIssue.Issue): Outcome {
    if (!this.options.multiplies || typeof value !== "object") return this.attempt(ast, value, spot, issue)
    return this.outcomes.of(ast, spot, () => this.attempt(ast, value, spot, issue))
  }

  private attempt(ast: SchemaAST.AST, value: Schema.Json, spot: Spot, issue: SchemaIssue.Issue): Outcome {
    this.spend(stepsOf(ast))
    return Result.flatMap(this.options.attempt(this, ast, value, spot, issue), (good: Good): Outcome => {
      const remaining = this.remaining(ast, good)
      return remaining === undefined
        ? Result.succeed(good)
        : bad(ofIssue(remaining, { ...spot, value: good.value }), good.warnings)
    })
  }

  private remaining(ast: SchemaAST.AST, { checked, value }: Good): SchemaIssue.Issue | undefined {
    if (checked === "whole") return undefined
    return checked === "parts" ? this.gate.issueOfAssembled(ast, value) : this.issueOf(ast, value)
  }

  /** What the schema has against a value. */
  issueOf(ast: SchemaAST.AST, value: Schema.Json): SchemaIssue.Issue | undefined {
    return this.gate.issueOf(ast, value)
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
}
