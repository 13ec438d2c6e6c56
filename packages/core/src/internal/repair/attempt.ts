/** Which repair a schema's values have. */
import { ofIssue } from "../violations.ts"
import { repairArray } from "./arrays.ts"
import { repairLiterals } from "./literals.ts"
import { repairObject } from "./objects.ts"
import { bad } from "./outcome.ts"
import type { Attempt } from "./run.ts"
import { repairBoolean, repairNull, repairNumber, repairString } from "./scalars.ts"
import { repairUnion } from "./unions.ts"

/** For a value that the schema refused. Whatever comes of it has to pass the same schema. */
export const attempt: Attempt = (run, ast, value, spot, issue) => {
  switch (ast._tag) {
    case "Suspend":
      return attempt(run, ast.thunk(), value, spot, issue)
    case "Objects":
      return repairObject(run, ast, value, spot)
    case "Arrays":
      return repairArray(run, ast, value, spot)
    case "Union":
      return repairUnion(run, ast, value, spot, issue)
    case "Literal":
    case "Enum":
      return repairLiterals(run, ast, value, spot)
    case "Number":
      return repairNumber(run, ast, value, spot, issue)
    case "Boolean":
      return repairBoolean(run, ast, value, spot)
    case "Null":
      return repairNull(run, ast, value, spot)
    case "String":
    case "TemplateLiteral":
      return repairString(run, ast, value, spot, issue)
    default:
      return bad(ofIssue(issue, spot))
  }
}
