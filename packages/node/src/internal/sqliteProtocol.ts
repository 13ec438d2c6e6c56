/** What crosses between the thread that asks and the worker that holds the database. */

/** How the database is opened. */
export interface Settings {
  readonly filename: string
  readonly readOnly: boolean
  readonly access: "owner" | "any"
}

/** What was open before: the same file is opened again, and checked. Without an identity it was in memory. */
export interface Before {
  readonly identity: string | undefined
}

/** What the worker starts with. */
export interface Start {
  readonly settings: Settings
  /** Of the worker before it, which died. */
  readonly before: Before | undefined
}

/** What SQLite can store, which is also what survives the trip between threads. */
export type Value = null | number | bigint | string | Uint8Array

/** One compiled statement. */
export interface Query {
  readonly sql: string
  readonly params: ReadonlyArray<Value>
  /** Integers arrive as bigint; without it one beyond 2^53 is an error. */
  readonly safeIntegers: boolean
}

/** `cached` keeps the prepared statement for the next time. */
interface Statement extends Query {
  readonly cached: boolean
}

export type Request =
  /** Opens the database, also again after it has failed. Nobody may be in the middle of a transaction. */
  | { readonly _tag: "Connect" }
  | ({ readonly _tag: "Rows" } & Statement)
  | ({ readonly _tag: "Values" } & Statement)
  | ({ readonly _tag: "Raw" } & Statement)
  | ({ readonly _tag: "OpenCursor"; readonly cursor: number } & Query)
  | { readonly _tag: "ReadCursor"; readonly cursor: number }
  | { readonly _tag: "CloseCursor"; readonly cursor: number }
  | { readonly _tag: "Disconnect" }

/** What the worker answers to each request. `Raw` is what the driver itself returns: a summary if there are no columns. */
export interface Results {
  readonly Connect: Before
  readonly Rows: ReadonlyArray<object>
  readonly Values: ReadonlyArray<ReadonlyArray<unknown>>
  readonly Raw: unknown
  readonly OpenCursor: void
  readonly ReadCursor: Page
  readonly CloseCursor: void
  readonly Disconnect: void
}

/** The fields of an exception; classes do not survive the trip. */
export interface Failure {
  readonly message: string
  readonly code: string | undefined
  readonly errcode: number | undefined
}

export type Outcome =
  | { readonly _tag: "Success"; readonly value: unknown }
  | { readonly _tag: "Failure"; readonly failure: Failure }

/** A request with the number its reply is recognised by. */
export interface Message {
  readonly id: number
  readonly request: Request
}

/** Every reply reports how the connection stands, because the asking side cannot look. */
export interface Reply {
  readonly id: number
  readonly inTransaction: boolean
  /** If not, everything is refused until the next `Connect`. */
  readonly isReady: boolean
  readonly outcome: Outcome
}

/** Rows of one read; a cursor is at its end once `done`. */
export interface Page {
  readonly rows: ReadonlyArray<object>
  readonly done: boolean
}
