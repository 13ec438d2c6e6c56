/** Finds the object of arguments in what a model sent. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import { bareFrom } from "../bare.ts"
import * as JsonText from "../../JsonText.ts"
import { type Arrived, type Form, inOwnForm, type Unread } from "../arrival.ts"
import { decodeEntities } from "../htmlEntities.ts"
import type { Reason } from "../jsonFault.ts"
import { defaultLimits } from "../jsonLimits.ts"
import { type Found, only } from "../found.ts"
import { formatPath, typeOf } from "../path.ts"
import * as Sentences from "../sentences.ts"
import { refuseEndless } from "./endless.ts"
import { isBlank, isObject } from "./json.ts"
import { type Bad, changed, rootSpot } from "./outcome.ts"
import { readText } from "./readText.ts"
import { Tally } from "./tally.ts"
import type { Kind, Level, Warnings } from "./warning.ts"

export interface Read {
  readonly value: Schema.JsonObject
  readonly warnings: Warnings
}

type Reading = Result.Result<Read, Bad>

export const readArguments = (level: Level, ast: SchemaAST.AST, arrived: Arrived): Reading =>
  Result.isSuccess(arrived)
    ? Result.succeed({ value: arrived.success, warnings: new Tally().warnings })
    : new ArgumentReader(level, ast).read(arrived.failure)

/** In text that is JSON already entities can only be in strings, where a quote has to be escaped. */
const withoutEntities = (text: string): string =>
  decodeEntities(text, Result.isSuccess(JsonText.read(text)) ? inString : (character) => character)

const inString = (character: string): string => JSON.stringify(character).slice(1, -1)

/** Text inside text inside text. More is no slip any more. */
const maxReadings = 3

class ArgumentReader {
  private readonly level: Level
  private readonly ast: SchemaAST.AST
  private readonly tally = new Tally()

  constructor(level: Level, ast: SchemaAST.AST) {
    this.level = level
    this.ast = ast
  }

  read(unread: Unread): Reading {
    switch (unread._tag) {
      case "Text":
        return this.readForm(unread.text, unread.form ?? {})
      case "Value":
        return this.take(unread.value)
      case "Refused":
        return this.refuse(only({ path: "", code: unread.refusal.code, ...Sentences.refused(unread.refusal) }))
    }
  }

  private readForm(text: string, form: Form): Reading {
    const decoded = form.htmlEntities === true ? withoutEntities(text) : text
    if (decoded !== text) this.report("entities_decoded", text, decoded)
    return Result.flatMap(this.readText(decoded), ({ value }) => this.readValue(inOwnForm(value, form)))
  }

  private readValue(arrived: Arrived): Reading {
    if (Result.isFailure(arrived)) return this.read(arrived.failure)
    return Result.succeed({ value: arrived.success, warnings: this.tally.warnings })
  }

  private get isDefault(): boolean {
    return this.level === "default"
  }

  private readText(text: string, reading = 1): Reading {
    if (this.isDefault && isBlank(text)) return this.empty(text)
    const read = readText(text, { isTolerant: this.isDefault, hasTail: true, limits: defaultLimits })
    if (Result.isFailure(read)) return this.refuse(this.unreadable(text, read.failure))
    const { kinds, value } = read.success
    for (const kind of kinds) this.report(kind, text, value)
    if (typeof value !== "string" || !this.isDefault || reading === maxReadings) return this.take(value)
    this.report("double_encoded", text, value)
    return this.readText(value, reading + 1)
  }

  private unreadable(text: string, reason: Reason): Found {
    const isNumber = reason.code === "not_json"
    const endless = isNumber ? refuseEndless(this.ast, reason.path, Number(reason.received)) : undefined
    if (endless !== undefined && Result.isFailure(endless)) return endless.failure.found
    const path = "path" in reason ? formatPath(reason.path) : ""
    return only({ path, code: reason.code, ...Sentences.unreadable(text, reason) })
  }

  private take(value: Schema.Json | undefined): Reading {
    if (isObject(value)) return Result.succeed({ value, warnings: this.tally.warnings })
    if (this.isDefault && (value === null || value === undefined)) return this.empty(value)
    return this.refuse(only({ path: "", code: "not_object", expected: "object", received: typeOf(value) }))
  }

  /** No arguments is something else than unreadable ones: what is required is then missing by name. */
  private empty(sent: string | null | undefined): Reading {
    const value = bareFrom([])
    this.report("empty_arguments", sent, value)
    return Result.succeed({ value, warnings: this.tally.warnings })
  }

  private report(kind: Kind, from: Schema.Json | undefined, to: Schema.Json): void {
    const warning = changed(rootSpot(to, this.ast), this.ast, { kind, from, to })
    this.tally.add({ list: [warning], omitted: 0 }, 0)
  }

  private refuse(found: Found): Reading {
    return Result.fail({ found, warnings: this.tally.warnings })
  }
}
