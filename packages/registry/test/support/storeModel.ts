/** The settlement store of several processes as one would write it without caring for anything: one list of attempts. */

export type End = "Settled" | "Interrupted"

export interface Attempt {
  readonly owner: number
  end: End | undefined
}

/** For one call. Owners are numbers that are never used twice. */
export class StoreModel {
  private readonly attempts: Array<Attempt> = []
  private readonly alive = new Set<number>()

  open(owner: number): void {
    this.alive.add(owner)
  }

  close(owner: number): void {
    this.alive.delete(owner)
  }

  begin(owner: number, repeat: boolean): string {
    const latest = this.attempts.at(-1)
    if (latest !== undefined && !(repeat && mayFollow(this.stateOf(latest)))) return this.stateOf(latest)
    this.attempts.push({ owner, end: undefined })
    return "begun"
  }

  complete(owner: number, end: End): string {
    const latest = this.attempts.at(-1)
    if (latest === undefined) return "refused"
    if (latest.end === undefined && latest.owner !== owner) return "refused"
    latest.end ??= end
    return latest.end
  }

  /** What somebody finds who looks for unfinished calls, if there is one. */
  unfinished(): Attempt | undefined {
    const latest = this.attempts.at(-1)
    return latest !== undefined && this.stateOf(latest) === "Unfinished" ? latest : undefined
  }

  recover(found: Attempt, end: End): string {
    if (found !== this.attempts.at(-1)) return "begun again"
    found.end ??= end
    return found.end
  }

  find(): string {
    const latest = this.attempts.at(-1)
    return latest === undefined ? "absent" : this.stateOf(latest)
  }

  private stateOf({ end, owner }: Attempt): string {
    return end ?? (this.alive.has(owner) ? "Running" : "Unfinished")
  }
}

const mayFollow = (state: string): boolean => state === "Unfinished" || state === "Interrupted"
