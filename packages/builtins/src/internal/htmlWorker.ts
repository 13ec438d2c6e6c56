/** Worker thread of one conversion: reads a page, and writes it as Markdown if that is wanted and not too much. */
import { type MessagePort, parentPort, workerData } from "node:worker_threads"
import type { Job, Reply } from "./htmlConversion.ts"
import { maxMarkdownLength } from "./htmlLimits.ts"
import { readPage, TooDeepError } from "./htmlPage.ts"
import { markdownOf } from "./markdown.ts"

const convert = (port: MessagePort, { address, format, html }: Job): void => {
  const reply = (message: Reply) => port.postMessage(message)
  reply({ _tag: "Started" })
  const page = attempt(html, address)
  if (page === undefined) return reply({ _tag: "TooDeep" })
  // First, because Markdown may take too long, and then the text is better than nothing.
  reply({ _tag: "Read", title: page.title, text: page.text })
  if (format === "text" || Math.min(html.length, page.html.length) > maxMarkdownLength) return reply({ _tag: "Done" })
  return reply({ _tag: "Written", markdown: markdownOf(page.html) })
}

const attempt = (html: string, address: string) => {
  try {
    return readPage(html, address)
  } catch (error) {
    if (error instanceof TooDeepError) return undefined
    throw error
  }
}

if (parentPort !== null) convert(parentPort, workerData)
