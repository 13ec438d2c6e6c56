/** The pure parts, for tests of their own. Tests are not emitted, so paths that could not be rewritten never are. */
// @ts-expect-error -- not emitted
export { applyEdit } from "../../src/internal/edits.ts"
// @ts-expect-error -- not emitted
export { find } from "../../src/internal/matching.ts"
// @ts-expect-error -- not emitted
export { distance, nearest } from "../../src/internal/nearest.ts"
// @ts-expect-error -- not emitted
export { applyHunks } from "../../src/internal/patchHunks.ts"
// @ts-expect-error -- not emitted
export { parse } from "../../src/internal/patchSyntax.ts"
// @ts-expect-error -- not emitted
export * as TextFile from "../../src/internal/textFile.ts"
// @ts-expect-error -- not emitted
export { PageMaker } from "../../src/internal/textPage.ts"
// @ts-expect-error -- not emitted
export * as SearchGlob from "../../src/internal/searchGlob.ts"
// @ts-expect-error -- not emitted
export { shownLine } from "../../src/internal/searchLine.ts"
// @ts-expect-error -- not emitted
export { maxRecordBytes, RecordReader } from "../../src/internal/searchRecords.ts"
// @ts-expect-error -- not emitted
export * as Types from "../../src/internal/contentType.ts"
// @ts-expect-error -- not emitted
export { limitsOf } from "../../src/internal/fetchLimits.ts"
// @ts-expect-error -- not emitted
export { isCovered } from "../../src/internal/fetchRedirects.ts"
// @ts-expect-error -- not emitted
export { addressOf } from "../../src/internal/fetchUrl.ts"
// @ts-expect-error -- not emitted
export { maxDepth } from "../../src/internal/htmlLimits.ts"
// @ts-expect-error -- not emitted
export { readPage } from "../../src/internal/htmlPage.ts"
// @ts-expect-error -- not emitted
export { markdownOf } from "../../src/internal/markdown.ts"
// @ts-expect-error -- not emitted
export { Capture } from "../../src/internal/shellCapture.ts"
// @ts-expect-error -- not emitted
export { formsOf, Scrubber } from "../../src/internal/shellSecrets.ts"
// @ts-expect-error -- not emitted
export { Window } from "../../src/internal/shellWindow.ts"
