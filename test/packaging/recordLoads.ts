/** Imports each argument and prints the address of every module that this loaded. */
import * as Module from "node:module"

const loaded = new Set<string>()

Module.registerHooks({
  load: (url, context, nextLoad) => {
    loaded.add(url)
    return nextLoad(url, context)
  }
})

await Promise.all(process.argv.slice(2).map((specifier) => import(specifier)))

process.stdout.write(JSON.stringify([...loaded]))
