/** Text that is put together from single code units, as fast for millions of them as for a few. */

/** Units that are turned into text at once: an engine takes only so many arguments. */
const chunk = 4096

export class CodeUnits {
  private readonly units = new Uint16Array(chunk)
  private count = 0
  private written = ""

  push(unit: number): void {
    if (this.count === chunk) this.flush()
    this.units[this.count++] = unit
  }

  get text(): string {
    this.flush()
    return this.written
  }

  private flush(): void {
    const piece: string = Reflect.apply(String.fromCharCode, undefined, this.units.subarray(0, this.count))
    this.written += piece
    this.count = 0
  }
}
