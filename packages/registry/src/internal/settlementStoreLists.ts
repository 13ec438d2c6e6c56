/**
 * Statements on a list of rows. Their text is made once for each of a few sizes, and a list between two of them is filled
 * up: making the text costs more than the rows do, and a database keeps the statements prepared that it has seen.
 */
import type * as SqlClient from "effect/sql/SqlClient"
import type * as Statement from "effect/sql/Statement"

export type Value = string | number | null

/** A statement on these rows. */
export type OnList<Row extends object> = (
  sql: SqlClient.SqlClient,
  rows: ReadonlyArray<ReadonlyArray<Value>>
) => Statement.Statement<Row>

/** The longest list that a statement takes here: both databases allow some times as many parameters. */
export const longest = 2048

const sizes = [1, 4, 16, 64, 256, 512, longest]

/**
 * `compose` is given the list as `VALUES …` and has no other parameters. A row that fills it up is null in all of its
 * columns, which both databases call `column1` and so on. Postgres takes each for text.
 */
export const onList = <Row extends object>(
  columns: number,
  compose: (sql: SqlClient.SqlClient, list: Statement.Fragment) => Statement.Statement<Row>
): OnList<Row> => {
  const texts = new WeakMap<SqlClient.SqlClient, Map<number, string>>()
  return (sql, rows) => {
    const size = sizes.find((size) => rows.length <= size) ?? rows.length
    const known = texts.get(sql) ?? new Map<number, string>()
    const text = known.get(size) ?? compose(sql, valuesOf(sql, size, columns)).compile()[0]
    texts.set(sql, known.set(size, text))
    return sql.unsafe<Row>(text, filled(rows, size * columns))
  }
}

const valuesOf = (sql: SqlClient.SqlClient, size: number, columns: number): Statement.Fragment => {
  const row = sql`(${sql.csv(Array.from({ length: columns }, () => sql`${null}`))})`
  return sql`VALUES ${sql.csv(Array.from({ length: size }, () => row))}`
}

const filled = (rows: ReadonlyArray<ReadonlyArray<Value>>, length: number): ReadonlyArray<Value> => {
  const values: Array<Value> = []
  for (const row of rows) for (const value of row) values.push(value)
  while (values.length < length) values.push(null)
  return values
}
