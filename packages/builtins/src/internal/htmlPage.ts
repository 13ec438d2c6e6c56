/** Reads HTML in one pass: its title, its text, and itself without what no reader sees. */
import { Parser } from "htmlparser2"
import { maxDepth, maxTitleLength } from "./htmlLimits.ts"

export class TooDeepError extends Error {}

export interface Page {
  readonly title: string
  readonly text: string
  /** Without scripts, styles and attributes that say nothing to a reader, with complete links. */
  readonly html: string
}

/** Not even as text: they hold programs, or what is shown where programs do not run. */
const dropped: ReadonlySet<string> = new Set(
  "script style noscript iframe template svg math object embed canvas audio video".split(" ")
)

/** Stand apart. */
const blocks: ReadonlySet<string> = new Set(
  [
    "address article aside blockquote body details div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6",
    "header hr main nav ol p pre section summary table ul"
  ].flatMap((line) => line.split(" "))
)

/** Stand on lines of their own. */
const lines: ReadonlySet<string> = new Set("br dd dt li option tr".split(" "))

const kept: ReadonlySet<string> = new Set(["href", "src", "alt", "title", "start", "colspan"])

const voids: ReadonlySet<string> = new Set("area base br col hr img input link meta source track wbr".split(" "))

/** Fails as soon as the depth is exceeded. */
export const readPage = (html: string, address: string): Page => {
  const reader = new Reader(address)
  const parser = new Parser({
    onopentag: (name, attributes) => reader.open(name, attributes),
    ontext: (text) => reader.read(text),
    onclosetag: (name) => reader.close(name)
  })
  parser.end(html)
  return { title: titleOf(reader.title), text: reader.text.done(), html: reader.html.join("") }
}

/** On one line. */
const titleOf = (text: string): string => {
  const title = text.replaceAll(/\s+/g, " ").trim()
  return title.length > maxTitleLength ? `${title.slice(0, maxTitleLength).toWellFormed()}…` : title
}

class Reader {
  title = ""
  readonly text = new TextMaker()
  readonly html: Array<string> = []
  private readonly path: Array<string> = []
  /** How many of the elements around are dropped. */
  private hidden = 0
  private base: string
  private hasTitle = false

  constructor(base: string) {
    this.base = base
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (this.path.length >= maxDepth) throw new TooDeepError()
    this.path.push(name)
    if (dropped.has(name)) this.hidden++
    if (name === "base") this.base = URL.parse(attributes["href"] ?? "", this.base)?.href ?? this.base
    if (this.hidden > 0 || name === "title") return
    this.html.push(`<${name}${this.attributesOf(name, attributes)}>`)
    if (blocks.has(name)) this.text.block(name === "pre")
    if (lines.has(name)) this.text.line()
    if (name === "td" || name === "th") this.text.add(" ")
  }

  read(text: string): void {
    if (this.hidden > 0) return
    if (this.path.at(-1) === "title") {
      if (!this.hasTitle) this.title += text
      return
    }
    this.html.push(escaped(text))
    this.text.add(text)
  }

  close(name: string): void {
    this.path.pop()
    if (dropped.has(name)) this.hidden--
    else if (this.hidden === 0) this.closeSeen(name)
  }

  private closeSeen(name: string): void {
    if (name === "title") this.hasTitle = true
    if (name === "title" || voids.has(name)) return
    this.html.push(`</${name}>`)
    if (blocks.has(name)) this.text.block(false)
    if (lines.has(name)) this.text.line()
    if (name === "pre") this.text.endPre()
  }

  private attributesOf(name: string, attributes: Readonly<Record<string, string>>): string {
    return Object.entries(attributes)
      .filter(([key]) => kept.has(key) || (key === "class" && name === "code"))
      .map(([key, value]) => [key, key === "href" || key === "src" ? this.complete(value) : value] as const)
      .map(([key, value]) => (value === "" ? "" : ` ${key}="${escaped(value)}"`))
      .join("")
  }

  /** Only what could be fetched: a program or a picture in a link is noise, or worse. */
  private complete(link: string): string {
    const url = URL.parse(link, this.base)
    return url !== null && /^(?:https?|mailto):$/.test(url.protocol) ? url.href : ""
  }
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

/** What stands between two pieces of text, the widest last. */
const gaps = ["", " ", "\n", "\n\n"]

/** Blanks as a browser shows them: one between words, none around lines, all of them in `pre`. */
class TextMaker {
  private readonly parts: Array<string> = []
  private pre = 0
  private gap = 0

  add(text: string): void {
    if (this.pre > 0) return this.put(text)
    const words = text.replaceAll(/\s+/g, " ")
    if (words.startsWith(" ")) this.widen(" ")
    if (words.trim() === "") return
    this.put(words.trim())
    if (words.endsWith(" ")) this.widen(" ")
  }

  line(): void {
    if (this.pre > 0) this.put("\n")
    else this.widen("\n")
  }

  block(isPre: boolean): void {
    this.widen("\n\n")
    if (isPre) this.pre++
  }

  endPre(): void {
    this.pre--
  }

  done(): string {
    return this.parts.join("").trimEnd()
  }

  private put(text: string): void {
    if (this.parts.length > 0) this.parts.push(gaps[this.gap] ?? "")
    this.parts.push(text)
    this.gap = 0
  }

  private widen(gap: string): void {
    this.gap = Math.max(this.gap, gaps.indexOf(gap))
  }
}
