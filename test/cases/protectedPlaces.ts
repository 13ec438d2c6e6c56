/** Stands for a policy's table of files that turn into code later: who may read them need not be allowed to write them. */
const patterns: ReadonlyArray<RegExp> = [
  /^(?:.*\/)?\.git\/(?:hooks(?:\/|$)|config|modules\/[^/]+\/(?:hooks|config))/,
  /^(?:.*\/)?\.gitmodules$/,
  /^(?:.*\/)?\.(?:husky|idea|devcontainer|haft)(?:\/|$)/,
  /^(?:.*\/)?\.vscode\/(?:tasks|launch|settings)\.json$/,
  /\.code-workspace$/,
  /^(?:.*\/)?\.(?:mcp\.json|envrc|npmrc|pnpmfile\..*)$/,
  /^(?:.*\/)?\.github\/workflows\//,
  /^(?:.*\/)?haft\.json$/
]

/** Some file systems take upper and lower case, and composed and decomposed letters, for the same. */
export const isProtected = (resource: string): boolean =>
  patterns.some((pattern) => pattern.test(resource.normalize("NFC").toLowerCase()))
