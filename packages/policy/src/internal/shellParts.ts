/** What a command makes run, write, read and set, part by part, wherever in it that stands. */
import * as Result from "effect/Result"
import { type Command, forEachChild, type Redirect, type SyntaxNode } from "unbash"
import type { Part } from "../ShellCommand.ts"
import { isDoubtful, isOfBash, isUnclear } from "./shellDoubts.ts"
import { evaluationIn } from "./shellEvaluation.ts"
import * as Grammar from "./shellGrammar.ts"
import * as Resource from "./shellResource.ts"
import * as Sentences from "./shellSentences.ts"
import * as Words from "./shellWords.ts"
import { type Inner, innerOf } from "./shellWrappers.ts"

/** What a person can still look through. */
const maxParts = 200

/** A command of 200 parts has a few thousand. */
const maxNodes = 20_000

/** Programs that run programs, and texts that become commands, within each other. Nobody needs more than a few. */
const maxLevels = 10

/** The parts in the order in which they stand there, each once; or why the text is not read part by part. */
export const partsOf = (text: string): Result.Result<ReadonlyArray<Part>, string> => {
  const found = new Found()
  try {
    found.script(text)
  } catch (cause) {
    if (cause instanceof RangeError) return Result.fail(Sentences.tooInvolved)
    throw cause
  }
  if (found.fault !== undefined) return Result.fail(found.fault)
  return found.parts.length === 0 ? Result.fail(Sentences.empty) : Result.succeed(found.parts)
}

class Found {
  fault: string | undefined
  readonly #parts = new Map<string, Part>()
  #nodes = 0
  #level = 0
  /** What is read now is for a shell that is perhaps no bash. */
  #isForAny = false

  get parts(): ReadonlyArray<Part> {
    return [...this.#parts.values()]
  }

  script(text: string): void {
    const script = Grammar.read(text)
    if (Result.isFailure(script)) return this.#doubt(script.failure)
    this.#visit(script.success, text)
  }

  /** What a command makes run. */
  #within(inner: Inner, command: string): void {
    if (++this.#level > maxLevels) this.#doubt(Sentences.tooNested(maxLevels))
    if (this.fault !== undefined) return
    if (inner._tag === "Command") this.#run(inner.assignments, inner.words)
    if (inner._tag === "Script") this.#text(inner.text, inner.isForAny)
    if (inner._tag === "Unknown") this.#add("unknown", Resource.unparsed(command))
    this.#level--
  }

  #text(text: string, isForAny: boolean): void {
    const outer = this.#isForAny
    this.#isForAny ||= isForAny
    if (this.#isForAny && isOfBash(text)) this.#doubt(Sentences.unclear)
    else this.script(text)
    this.#isForAny = outer
  }

  #doubt(reason: string): void {
    this.fault ??= reason
  }

  #add(kind: Part["kind"], text: string): void {
    this.#parts.set(text, { kind, text, isLiteral: kind !== "unknown" && Resource.isLiteral(text) })
    if (this.#parts.size > maxParts) this.#doubt(Sentences.tooManyParts(maxParts))
  }

  /** Where a script has a text of its own, the places of what is in it are places in that text. */
  #visit(node: SyntaxNode, source: string): void {
    if (this.fault !== undefined) return
    if (++this.#nodes > maxNodes) return this.#doubt(Sentences.tooManyParts(maxParts))
    if (isDoubtful(node)) return this.#doubt(Sentences.syntax)
    const own = node.type === "Script" ? (node.source ?? source) : source
    if (isUnclear(node, own)) return this.#doubt(Sentences.unclear)
    if (node.type === "Command") this.#command(node)
    if (node.type === "Redirect") this.#redirect(node)
    const evaluated = evaluationIn(node, own)
    if (evaluated !== undefined) this.#add(evaluated.kind, evaluated.text)
    forEachChild(node, (child) => this.#visit(child, own))
  }

  #command({ args, name, prefix, redirects }: Command): void {
    const assignments = prefix.flatMap((one) => (one.type === "Assignment" ? [Words.assignmentOf(one)] : []))
    const program = name === undefined ? [] : [Words.wordOf(name)]
    const rest = args.map((one) => (one.type === "Assignment" ? Words.assignmentOf(one) : Words.wordOf(one)))
    const given = redirects.flatMap(({ operator, type }) => (type === "Redirect" ? [] : [Words.unknown(operator)]))
    this.#run(assignments, [...program, ...rest], given)
  }

  /** As a whole, so that what is approved is what was shown, and then what is in it. */
  #run(
    assignments: ReadonlyArray<Words.Word>,
    words: ReadonlyArray<Words.Word>,
    given: ReadonlyArray<Words.Word> = []
  ): void {
    const command = [...words.map(asWritten), ...given.map(({ text }) => text)].join(" ")
    if (assignments.length > 0 && words.length > 0) {
      this.#add("command", [...assignments.map(({ text }) => text), command].join(" "))
    }
    for (const { text } of assignments) this.#add("assignment", text)
    if (words.length === 0) return
    this.#add("command", command)
    for (const inner of innerOf(words)) this.#within(inner, command)
  }

  #redirect({ operator, target }: Redirect): void {
    if (target === undefined) return this.#doubt(Sentences.syntax)
    const word = Words.wordOf(target)
    const isCopy = operator.endsWith("&") && /^(?:\d+-?|-)$/.test(word.value ?? "")
    if (isCopy || harmless.has(word.value ?? "")) return
    this.#add("redirection", `${directionOf(operator)} ${word.text}`)
  }
}

const asWritten = ({ text, value }: Words.Word, index: number): string =>
  index === 0 && value !== undefined ? Resource.programName(value) : text

const harmless: ReadonlySet<string> = new Set(["/dev/null", "/dev/stderr", "/dev/stdout"])

const directionOf = (operator: Redirect["operator"]): string => {
  if (operator === "<" || operator === "<&") return "<"
  return operator.endsWith(">>") ? ">>" : ">"
}
