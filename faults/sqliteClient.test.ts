import { assert, describe } from "@effect/vitest"
import * as NodeSqlClient from "@haft/node/NodeSqlClient"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Fs from "node:fs"
import { join } from "node:path"
import { fixture } from "./support/launch.ts"
import { scenario, temporary } from "./support/scenario.ts"
import { trace } from "./support/strace.ts"

const fill = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.andThen(
    sql`CREATE TABLE t (x)`,
    sql`INSERT INTO t WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n LIMIT 2000) SELECT x FROM n`
  )
)

describe("a client of SQLite whose disk failed once", () => {
  scenario(
    "gives no answer until it has the same file again and found it sound",
    {
      fault: "EIO at an fsync; the file then damaged, gone, replaced and restored",
      keeps: ["V11", "V12"],
      window: "a question while the file is not what it was",
      atLeast: { tries: 5, hits: 3 }
    },
    Effect.gen(function* () {
      const directory = yield* temporary
      const filename = join(directory, "test.db")
      yield* Effect.provide(fill, Layer.fresh(NodeSqlClient.layer({ filename })))
      const program = { args: [fixture("reopener"), directory], directory }
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
      const answered = [damaged, gone, replaced].filter((answer) => answer === "2000").length
      return { tries: 5, hits: 3 - answered, corrupt: answered }
    })
  )
})
