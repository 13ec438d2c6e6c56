/**
 * Tools for authors who describe their data with zod, valibot, ArkType or anything else that follows Standard Schema. It
 * is core's own module, under the name that it has always had here.
 */
export { make, type Options } from "@haft/core/StandardSchemaTool"
