/** Writes a page as Markdown. */
import TurndownService from "turndown"

/** Of a page that was read and has nothing in it that no reader sees. */
export const markdownOf = (html: string): string => {
  const service = new TurndownService({
    headingStyle: "atx",
    hr: "---",
    bulletListMarker: "-",
    codeBlockStyle: "fenced",
    emDelimiter: "*"
  })
  service.remove(["script", "style", "noscript", "iframe"])
  service.addRule("cell", { filter: ["th", "td"], replacement: (content, node) => cell(content, node) })
  service.addRule("row", { filter: "tr", replacement: (content, node) => row(content, node) })
  service.addRule("rows", { filter: ["thead", "tbody", "tfoot"], replacement: (content) => content })
  service.addRule("table", { filter: "table", replacement: (content) => `\n\n${content.trim()}\n\n` })
  return service.turndown(html)
}

/** As much of an element as the rules look at. */
interface Element {
  readonly parentElement: Element | null
  readonly cells?: ArrayLike<Element>
  readonly closest: (selector: string) => Element | null
  readonly querySelector: (selector: string) => Element | null
}

/** On one line, because a row is one. */
const cell = (content: string, node: Element): string => {
  const text = content.trim().replaceAll(/\s*\n\s*/g, " ")
  return isNested(node) ? ` ${text}` : ` ${text.replaceAll("|", String.raw`\|`)} |`
}

const row = (content: string, node: Element): string => {
  if (isNested(node)) return content
  const isFirst = node.closest("table")?.querySelector("tr") === node
  return `|${content}\n${isFirst ? `|${" --- |".repeat(node.cells?.length ?? 0)}\n` : ""}`
}

/** A table in a table becomes the text of its cell. */
const isNested = (node: Element): boolean => (node.closest("table")?.parentElement?.closest("table") ?? null) !== null
