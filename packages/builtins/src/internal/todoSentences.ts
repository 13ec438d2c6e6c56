/** Every sentence about plans that a model reads. */
import type { List, Status } from "../Todos.ts"
import { count } from "./sentences.ts"

export const todoDescription = [
  "Write down the plan for a task of several steps, and keep it up to date, so that the user sees where the work stands.",
  "Each call replaces the whole plan: send every item, those that are done included.",
  "Mark an item in_progress when you begin it, usually one at a time, and completed as soon as it is done."
].join(" ")

export const todoFields = {
  todos: "The whole plan, in the order of the work. Empty to clear it.",
  content: "What is to be done, in one line.",
  status: "Where the item stands: pending, in_progress, completed or cancelled.",
  priority: "How important the item is."
}

export const someText = "text that is not blank"

export const differentItems = "items that differ in their content"

export const stored = "The plan could not be written down."

export const storedHint = "Go on with the work, and try again later."

const marks: Readonly<Record<Status, string>> = {
  pending: "[ ]",
  in_progress: "[>]",
  completed: "[x]",
  cancelled: "[-]"
}

/** One item a line, and how far it is. */
export const plan = (list: List): string => {
  if (list.length === 0) return "The plan is empty."
  const done = list.filter(({ status }) => status === "completed").length
  const open = list.filter(({ status }) => status === "pending" || status === "in_progress").length
  return [
    `${count(list.length, "item")}, ${done} completed, ${open} to do.`,
    ...list.map(({ content, priority, status }) => `${marks[status]} ${content}${priority === "high" ? " (high)" : ""}`)
  ].join("\n")
}
