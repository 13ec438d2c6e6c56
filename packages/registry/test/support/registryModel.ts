/** The registry as one would write it without caring for time, memory or scopes: lists that are searched from the end. */

/** The application's, or that of the Location with this number. */
export type Placement = "application" | number

export interface Registration {
  readonly placement: Placement
  readonly names: ReadonlyArray<string>
  /** Which tool was registered. */
  readonly tool: number
}

/** By name, what a turn offers. */
export type Offer = ReadonlyMap<string, Registration>

export interface Call {
  readonly id: number
  readonly name: string
  readonly isValid: boolean
}

export class RegistryModel {
  /** How often each tool was executed. */
  readonly runs = new Map<number, number>()
  private active: ReadonlyArray<Registration> = []
  private readonly settled = new Map<number, Call & { readonly outcome: string }>()

  register(registration: Registration): void {
    this.active = [...this.active, registration]
  }

  close(registration: Registration): void {
    this.active = this.active.filter((other) => other !== registration)
  }

  /** Sorted by name. */
  offer(location: number): Offer {
    const names = new Set(this.active.flatMap(({ names }) => names))
    const winners = [...names].toSorted().map((name) => [name, this.winner(location, name)] as const)
    return new Map(winners.flatMap(([name, winner]) => (winner === undefined ? [] : [[name, winner]])))
  }

  /** The number of the tool that answered, or why none did. */
  settle(location: number, offer: Offer, call: Call): string {
    const earlier = this.settled.get(call.id)
    if (earlier !== undefined) return isSame(earlier, call) ? earlier.outcome : "DuplicateCall"
    const outcome = this.outcome(location, offer, call)
    this.settled.set(call.id, { ...call, outcome })
    return outcome
  }

  private outcome(location: number, offer: Offer, { isValid, name }: Call): string {
    const offered = offer.get(name)
    if (offered === undefined) return "UnknownTool"
    if (this.winner(location, name) !== offered) return "StaleCall"
    if (!isValid) return "InvalidInput"
    this.runs.set(offered.tool, (this.runs.get(offered.tool) ?? 0) + 1)
    return `${offered.tool}`
  }

  private winner(location: number, name: string): Registration | undefined {
    const newest = (wanted: Placement) =>
      this.active.findLast(({ names, placement }) => placement === wanted && names.includes(name))
    return newest(location) ?? newest("application")
  }
}

const isSame = (left: Call, right: Call): boolean => left.name === right.name && left.isValid === right.isValid
