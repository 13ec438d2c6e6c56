/** The tokens of JSON text, strictly or with the liberties that models take. Nothing is supplied that is not there. */
import { Fault } from "./jsonFault.ts"
import { allWords, escapes, jsonNumber, type Liberty, pythonWords, sticky, words } from "./jsonLexicon.ts"

type Quote = '"' | "'"

const backslash = 0x5c

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
    do this.match(sticky.space)
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

  pass(token: string): boolean {
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
    let read = ""
    let start = ++this.position
    for (; !this.isAt(quote); start = this.position) {
      this.passPlain(quote)
      read += this.text.slice(start, this.position)
      if (this.isAt("\\")) read += this.readEscape(quote)
      else if (this.isAtEnd) this.fail("truncated")
    }
    this.position++
    return read
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

  /** Up to the end of the string, an escape, or the end of the text. */
  private passPlain(quote: Quote): void {
    const close = quote.charCodeAt(0)
    for (; this.position < this.end; this.position++) {
      const code = this.text.charCodeAt(this.position)
      if (code === close || code === backslash) return
      if (code < firstPrintable) this.take("raw_control_character")
    }
  }

  private readEscape(quote: Quote): string {
    const next = this.position + 1 < this.end ? (this.text[this.position + 1] ?? "") : ""
    if (next === "") this.fail("truncated")
    if (next === "u") return this.readUnicode()
    const known = escapes.get(next)
    if (known === undefined && next !== quote) this.take("bad_escape")
    this.position += 2
    return known ?? (next === "'" ? next : `\\${next}`)
  }

  private readUnicode(): string {
    const digits = this.text.slice(this.position + 2, Math.min(this.position + 6, this.end))
    if (!/^[\da-fA-F]*$/.test(digits)) this.fail("unparseable")
    if (digits.length < 4) this.fail("truncated")
    this.position += 6
    return String.fromCharCode(Number.parseInt(digits, 16))
  }

  private skipLine(): boolean {
    if (!this.isAt("/") || !this.text.startsWith("//", this.position)) return false
    this.take("comment")
    this.match(sticky.line)
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
    if (!this.isAt("\\") || this.match(sticky.writtenSpace) === "") return false
    this.take("escaped_whitespace")
    return true
  }

  /** Passes what an expression matches here, which may be nothing, and nothing beyond the end. */
  private match(expression: RegExp): string {
    expression.lastIndex = this.position
    const matched = (expression.exec(this.text)?.[0] ?? "").slice(0, this.end - this.position)
    this.position += matched.length
    return matched
  }
}
