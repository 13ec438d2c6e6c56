/** What a program that runs other programs is told to run. */
import { interpreters, opaque, shells, type Wrapper, wrappers } from "./shellPrograms.ts"
import * as Resource from "./shellResource.ts"
import * as Words from "./shellWords.ts"

/** What a command makes run besides itself. */
export type Inner =
  | {
      readonly _tag: "Command"
      readonly assignments: ReadonlyArray<Words.Word>
      readonly words: ReadonlyArray<Words.Word>
    }
  /** For any shell if it is not certain that a bash reads it. */
  | { readonly _tag: "Script"; readonly text: string; readonly isForAny: boolean }
  /** Something, but the text does not tell what. */
  | { readonly _tag: "Unknown" }

const unknown: ReadonlyArray<Inner> = [{ _tag: "Unknown" }]
const nothing: ReadonlyArray<Inner> = []

/** The first word is the program. Nothing for a command that runs itself alone, as far as its words tell. */
export const innerOf = ([program, ...rest]: ReadonlyArray<Words.Word>): ReadonlyArray<Inner> => {
  if (program?.value === undefined) return unknown
  const name = program.value.split("/").at(-1) ?? ""
  const wrapper = wrappers.get(name)
  if (wrapper !== undefined) return isLookup(name, rest) ? nothing : wrapped(wrapper, rest)
  if (shells.has(name)) return ofShell(rest, name !== "bash")
  if (interpreters.test(name)) return ofInterpreter(rest)
  return special(name, rest)
}

const special = (name: string, rest: ReadonlyArray<Words.Word>): ReadonlyArray<Inner> => {
  if (opaque.has(name)) return unknown
  switch (name) {
    case "eval":
      return script(rest)
    case "trap":
      return ofTrap(rest)
    case "find":
      return ofFind(rest)
    case ".":
    case "source":
      return rest.some(isOpen) ? unknown : nothing
    case "hash":
    case "mapfile":
    case "readarray":
      return rest.some(({ value }) => value === undefined || /^-\w*[Cp]/.test(value)) ? unknown : nothing
    default:
      return nothing
  }
}

/** Whether it can be anything, or is what comes in. */
const isOpen = ({ value }: Pick<Words.Word, "value">): boolean =>
  value === undefined || value === "-" || /^\/(?:dev\/(?:stdin|fd\/)|proc\/)/.test(value)

/** A program, as a file or after an option, is there; or else it is what comes in. */
const ofInterpreter = (rest: ReadonlyArray<Words.Word>): ReadonlyArray<Inner> => {
  if (rest.some(({ value }) => /^(?:-v|-V|-h|--version|--help)$/.test(value ?? ""))) return nothing
  const isGiven = rest.some(({ value }) => value?.startsWith("-") === false)
  return isGiven && !rest.some(isOpen) ? nothing : unknown
}

/** `command -v git` only says where it is. */
const isLookup = (name: string, [first]: ReadonlyArray<Words.Word>): boolean =>
  name === "command" && (first?.value === "-v" || first?.value === "-V")

const script = (words: ReadonlyArray<Words.Word>, isForAny = false): ReadonlyArray<Inner> => {
  if (words.some(({ value }) => value === undefined)) return unknown
  return [{ _tag: "Script", text: words.map(({ value }) => value).join(" "), isForAny }]
}

/** Every word before the command has to be known: one that is not could become several, and one of those the command. */
const wrapped = (wrapper: Wrapper, rest: ReadonlyArray<Words.Word>): ReadonlyArray<Inner> => {
  const start = afterOptions(wrapper, rest)
  if (start === undefined) return unknown
  const begin = start + (wrapper.operands ?? 0)
  let index = begin
  while (wrapper.takesAssignments === true && rest[index]?.value?.includes("=") === true) index++
  const command = rest.slice(index)
  if (command.length === 0) return nothing
  const isDoubtful = command[0]?.value?.startsWith("-") === true
  if (isDoubtful || rest.slice(0, index).some(({ value }) => value === undefined)) return unknown
  const assignments = rest.slice(begin, index).map(({ value = "" }) => Words.knownAssignment(value))
  const added = wrapper.adds === undefined ? [] : [Words.unknown(wrapper.adds)]
  return [{ _tag: "Command", assignments, words: [...command, ...added] }]
}

/** Where the first word stands that is no option; nothing if that cannot be told. */
const afterOptions = (wrapper: Wrapper, rest: ReadonlyArray<Words.Word>): number | undefined => {
  const [flags, values] = [new Set(wrapper.flags.split(" ")), new Set(wrapper.values.split(" "))]
  for (let index = 0; index < rest.length; index++) {
    const value = rest[index]?.value
    if (value === undefined) return undefined
    if (value === "--") return index + 1
    const option = optionOf(value)
    if (option === undefined) return index
    if (values.has(option.name)) index += option.hasValue ? 0 : 1
    else if (!option.letters.every((letter) => flags.has(letter))) return undefined
  }
  return rest.length
}

interface Option {
  readonly name: string
  /** Each of which has to be a flag, or the name alone. */
  readonly letters: ReadonlyArray<string>
  /** In the same word. */
  readonly hasValue: boolean
}

const optionOf = (word: string): Option | undefined => {
  if (word === "-") return { name: "-", letters: ["-"], hasValue: false }
  const long = /^--([\w-]+)(=)?/.exec(word)
  if (long !== null) return { name: long[1] ?? "", letters: [long[1] ?? ""], hasValue: long[2] !== undefined }
  if (!word.startsWith("-")) return undefined
  // `nice -5` is one of few that take a number as an option.
  if (/^-\d+$/.test(word)) return { name: "", letters: [], hasValue: true }
  return { name: word.slice(1, 2), letters: word.slice(1).split(""), hasValue: word.length > 2 }
}

/** `-c` and its text, a file, or else whatever comes in. */
const ofShell = (rest: ReadonlyArray<Words.Word>, isForAny: boolean): ReadonlyArray<Inner> => {
  let isText = false
  for (let index = 0; index < rest.length; index++) {
    const value = rest[index]?.value
    if (value === undefined) return unknown
    const isOption = /^[-+]./.test(value) && value !== "--"
    if (isOption && (value.startsWith("--") || value.includes("s"))) return unknown
    if (isOption) {
      isText ||= value.startsWith("-") && value.includes("c")
      index += /[oO]$/.test(value) ? 1 : 0
    } else if (value !== "--" && value !== "-") {
      if (isText) return script(rest.slice(index, index + 1), isForAny)
      return isOpen({ value }) ? unknown : nothing
    }
  }
  return unknown
}

const ofTrap = (rest: ReadonlyArray<Words.Word>): ReadonlyArray<Inner> => {
  const [first, ...signals] = rest[0]?.value === "--" ? rest.slice(1) : rest
  if (first === undefined || first.value === "" || first.value === "-") return nothing
  if (/^-[lp]+$/.test(first.value ?? "") || (signals.length === 0 && first.value !== undefined)) return nothing
  return script([first])
}

const executing = new Set(["-exec", "-execdir", "-ok", "-okdir"])

/** Each command up to its end, with the names of files for `{}`. */
const ofFind = (rest: ReadonlyArray<Words.Word>): ReadonlyArray<Inner> =>
  rest.flatMap(({ value }, index): ReadonlyArray<Inner> => {
    if (value === undefined || !executing.has(value)) return []
    const after = rest.slice(index + 1)
    const end = after.findIndex(
      (word, at) => word.value === ";" || (word.value === "+" && after[at - 1]?.value === "{}")
    )
    const words = (end < 0 ? after : after.slice(0, end)).map((word) =>
      word.value?.includes("{}") === true ? fileIn(word.value) : word
    )
    return [{ _tag: "Command", assignments: [], words }]
  })

const fileIn = (word: string): Words.Word => Words.unknown(Resource.canMark(word) ? word : "{}")
