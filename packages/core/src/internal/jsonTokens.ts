/** The tokens of JSON text, strictly or with the liberties that models take. Nothing is supplied that is not there. */
import { CodeUnits } from "./codeUnits.ts"
import { Fault } from "./jsonFault.ts"
import { allWords, escapes, jsonNumber, type Liberty, pythonWords, sticky, words } from "./jsonLexicon.ts"

type Quote = '"' | "'"

const backslash = 0x5c
const singleQuote = 0x27
const letterU = 0x75

/** The first code that may stand in a string as it is. */
const firstPrintable = 0x20

export abstract class JsonTokens {
  /** In the order in which they were first taken. */
  readonly liberties = new Set<Liberty>()
  position: number
  private readonly text: string
  private readonly end: number
  private readonly isTolerant: boolean

  constructor(text: string, [start, end]: readonly [number, number], isTolerant: boolean) {
    this.text = text
    this.position = start
    this.end = end
    this.isTolerant = isTolerant
  }

  get isAtEnd(): boolean {
    return this.position >= this.end
  }

  /** Whether something has been opened that is not closed yet. */
  protected abstract get isInside(): boolean

  /** Passes what may stand between tokens. */
  skip(): void {
    do this.pass(sticky.space)
    while (this.skipLine() || this.skipBlock() || this.skipWrittenSpace())
    if (this.isInside && this.isBegun) this.fail("truncated")
  }

  /** Whether the text ends with the first half of a comment or of a written space. */
  private get isBegun(): boolean {
    return this.position + 1 === this.end && (this.isAt("/") || this.isAt("\\"))
  }

  isAt(token: string): boolean {
    return !this.isAtEnd && this.text[this.position] === token
  }

  protected get isAtNumber(): boolean {
    return !this.isAtEnd && /[-\d]/.test(this.text[this.position] ?? "")
  }

  passToken(token: string): boolean {
    if (!this.isAt(token)) return false
    this.position++
    return true
  }

  take(liberty: Liberty): void {
    if (!this.isTolerant) this.fail("unparseable")
    this.liberties.add(liberty)
  }

  /** Ends the reading: cut off if the text ends inside something, not JSON if there is more of it. */
  fail(code: "truncated" | "unparseable" = this.isAtEnd && this.isInside ? "truncated" : "unparseable"): never {
    throw new Fault({ code, position: this.position })
  }

  protected readKey(): string {
    if (this.isAt('"') || this.isAt("'")) return this.readString()
    const key = this.match(sticky.identifier)
    if (key === "" || this.isAtEnd) this.fail()
    this.take("unquoted_key")
    return key
  }

  protected readString(): string {
    const quote: Quote = this.isAt("'") ? "'" : '"'
    if (quote === "'") this.take("single_quotes")
    const start = ++this.position
    this.pass(quote === '"' ? sticky.plain : sticky.plainInSingle)
    const plain = this.text.slice(start, this.position)
    const read = this.isAt(quote) ? plain : plain + this.readRest(quote)
    this.position++
    return read
  }

  /** From the first character on that does not stand for itself. There can be millions of them. */
  private readRest(quote: Quote): string {
    const units = new CodeUnits()
    const close = quote.charCodeAt(0)
    let hasControl = false
    for (; this.position < this.end; this.position++) {
      const code = this.text.charCodeAt(this.position)
      if (code === close) return units.text
      if (code === backslash) this.readEscape(close, units)
      else units.push(code)
      if (code >= firstPrintable || hasControl) continue
      hasControl = true
      this.take("raw_control_character")
    }
    return this.fail("truncated")
  }

  /** What ends with the text could have gone on, unless nothing is open around it. */
  protected readNumber(): number {
    const start = this.position
    const text = this.match(sticky.numeric)
    if (this.isAtEnd && this.isInside) this.fail("truncated")
    return jsonNumber.test(text) ? Number(text) : this.failAt(start)
  }

  protected readWord(): boolean | null {
    const start = this.position
    const word = this.match(sticky.word)
    if (this.isAtEnd && this.isInside && allWords.some((known) => known.startsWith(word))) this.fail("truncated")
    const known = words.has(word) ? words : pythonWords
    const value = known.get(word)
    if (value === undefined) return this.failAt(start)
    if (known === pythonWords) this.take("python_constant")
    return value
  }

  private failAt(position: number): never {
    throw new Fault({ code: "unparseable", position })
  }

  /** Leaves the position on the last character of the escape. */
  private readEscape(close: number, units: CodeUnits): void {
    if (this.position + 1 >= this.end) this.fail("truncated")
    const next = this.text.charCodeAt(this.position + 1)
    if (next === letterU) return this.readUnicode(units)
    const known = escapes.get(next)
    if (known === undefined && next !== close && !this.liberties.has("bad_escape")) this.take("bad_escape")
    if (known === undefined && next !== singleQuote) units.push(backslash)
    units.push(known ?? next)
    this.position++
  }

  private readUnicode(units: CodeUnits): void {
    const start = this.position + 2
    this.position = start
    this.pass(sticky.fourDigits)
    const count = this.position - start
    if (count < 4) {
      this.position = start - 2
      this.fail(start + count === this.end ? "truncated" : "unparseable")
    }
    units.push(Number.parseInt(this.text.slice(start, this.position), 16))
    this.position--
  }

  private skipLine(): boolean {
    if (!this.isAt("/") || !this.text.startsWith("//", this.position)) return false
    this.take("comment")
    this.pass(sticky.line)
    return true
  }

  private skipBlock(): boolean {
    if (!this.isAt("/") || !this.text.startsWith("/*", this.position)) return false
    this.take("comment")
    const close = this.text.indexOf("*/", this.position + 2)
    this.position = close < 0 ? this.end : close + 2
    if (close < 0 || this.position > this.end) this.fail("truncated")
    return true
  }

  private skipWrittenSpace(): boolean {
    if (!this.isAt("\\") || !this.pass(sticky.writtenSpace)) return false
    this.take("escaped_whitespace")
    return true
  }

  private match(expression: RegExp): string {
    const start = this.position
    this.pass(expression)
    return this.text.slice(start, this.position)
  }

  /** Passes what an expression matches here, and nothing beyond the end. False if it is nothing. */
  private pass(expression: RegExp): boolean {
    const start = this.position
    expression.lastIndex = start
    if (expression.test(this.text)) this.position = Math.min(expression.lastIndex, this.end)
    return this.position > start
  }
}
