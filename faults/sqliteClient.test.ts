import { assert, describe, it } from "@effect/vitest"
import * as NodeSqlClient from "@haft/node/NodeSqlClient"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { trace } from "./support/strace.ts"

const reopener = fileURLToPath(new URL("fixtures/reopener.ts", import.meta.url))

const temporary = Effect.acquireRelease(
  Effect.sync(() => Fs.mkdtempSync(join(tmpdir(), "haft-faults-"))),
  (path) => Effect.sync(() => Fs.rmSync(path, { recursive: true }))
)

const fill = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.andThen(
    sql`CREATE TABLE t (x)`,
    sql`INSERT INTO t WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n LIMIT 2000) SELECT x FROM n`
  )
)

describe("a client of SQLite whose disk failed once", () => {
  it.live("gives no answer until it has the same file again and found it sound", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const filename = join(directory, "test.db")
      yield* Effect.provide(fill, Layer.fresh(NodeSqlClient.layer({ filename })))
      const program = { args: [reopener, directory], directory, cache: join(directory, "cache") }
      yield* trace(program, ["fsync"], { call: "fsync", error: "EIO", when: "1" })
      const [before, failed, damaged, gone, replaced, restored] = Fs.readFileSync(
        join(directory, "answers"),
        "utf8"
      ).split("\n")
      assert.strictEqual(before, "2000")
      assert.strictEqual(failed, "disk I/O error")
      assert.include(damaged, "damaged")
      assert.strictEqual(gone, `there is no database ${filename}`)
      assert.strictEqual(replaced, `${filename} was replaced while it was open`)
      assert.strictEqual(restored, "2000")
    })
  )
})
