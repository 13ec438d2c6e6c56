/** What it takes to have the subject: time to import it in a new process, packages, and bytes on disk. */
import { compile, effectModulesOf, importMillis, installedBy, rootOf } from "../footprint.ts"
import type { Scenario } from "../scenario.ts"

const times = 9
const quickTimes = 3

export const scenario: Scenario = {
  id: "importing",
  letter: "f",
  title: "Importing and installing",
  appliesTo: () => true,
  measure: async ({ family, imports, packages }, { quick }) => {
    if (family === "haft") await compile()
    const root = rootOf(family)
    const modules = family === "haft" ? await effectModulesOf(imports, root) : []
    const millis: Array<number> = []
    const effectMillis: Array<number> = []
    for (let index = 0; index <= (quick ? quickTimes : times); index++) {
      // oxlint-disable-next-line eslint/no-await-in-loop -- each has the machine to itself
      const sample = await importMillis(imports, root)
      // oxlint-disable-next-line eslint/no-await-in-loop -- likewise
      const sampleOfEffect = modules.length === 0 ? 0 : await importMillis(modules, root)
      // The first ones read from a disk that nothing has read yet.
      if (index === 0) continue
      millis.push(sample)
      if (modules.length > 0) effectMillis.push(sampleOfEffect)
    }
    return {
      samples: modules.length === 0 ? { millis } : { millis, effectMillis },
      facts: { ...installedBy(packages, root) }
    }
  }
}
