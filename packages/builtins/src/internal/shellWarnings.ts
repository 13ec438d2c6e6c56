/** What a model may not notice by itself about a result. */
import type { Result } from "./shellRun.ts"
import * as Sentences from "./shellSentences.ts"

/** 128 and the number of SIGPIPE. */
const sigpipeCode = 141

const { warnings } = Sentences

export const warningsFor = (command: string, result: Result): ReadonlyArray<string> =>
  [
    result.killedBy === "process_limit" && warnings.processLimit,
    result.killedBy === "memory_limit" && warnings.memoryLimit,
    result.killedBy === "disk_limit" && warnings.diskLimit,
    result.hadLeftovers && warnings.leftovers,
    result.exitCode === sigpipeCode && warnings.sigpipe,
    isSwallowed(command, result) && warnings.swallowed,
    shapeHint(command, result),
    ...aboutStream("stdout", result.stdout),
    ...aboutStream("stderr", result.stderr)
  ].filter((warning) => warning !== false)

const aboutStream = (name: string, { invalidBytes, lostBytes }: Result["stdout"]) => [
  lostBytes > 0 && Sentences.lostBytes(name, lostBytes),
  invalidBytes > 0 && Sentences.invalidBytes(name, invalidBytes)
]

const isSwallowed = (command: string, { exitCode, stderr, stdout }: Result): boolean =>
  exitCode === 0 && stdout.text === "" && stderr.text === "" && /\||2>\/dev\/null/.test(command)

/** As bash says it. */
const unterminated = /unexpected EOF while looking for matching|here-document .* delimited by end-of-file/

const syntaxError = /SyntaxError|syntax error/i

/** Code in quotes that goes on after a line feed. */
const multiLineCode = /\s-[ce]\s+(["'])[^"']*\n/

/** One at most, and only where the shape of the command is known to be at fault. */
const shapeHint = (command: string, { exitCode, stderr }: Result): string | false => {
  if (unterminated.test(stderr.text)) return warnings.unterminated
  return exitCode !== 0 && multiLineCode.test(command) && syntaxError.test(stderr.text) && warnings.multiLine
}
