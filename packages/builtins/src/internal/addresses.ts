/** Which addresses are out on the internet, and which are somebody's own network. */
import ipaddr from "ipaddr.js"

/** The whole of what is assigned to the public; the rest of IPv6 has forms that lead back to IPv4 or nowhere. */
const assigned = ipaddr.IPv6.parseCIDR("2000::/3")

/** A cloud's own service for its machines, at an address that is public by its range. */
const platformService = "168.63.129.16"

/** A NAT64 network's prefix, such as `64:ff9b::/96`. */
export type Prefix = readonly [ipaddr.IPv6, number]

/** Where the four bytes of the IPv4 address stand, by the length of the prefix (RFC 6052). The ninth byte stays free. */
const embedded: Readonly<Record<number, ReadonlyArray<number>>> = {
  32: [4, 5, 6, 7],
  40: [5, 6, 7, 9],
  48: [6, 7, 9, 10],
  56: [7, 9, 10, 11],
  64: [9, 10, 11, 12],
  96: [12, 13, 14, 15]
}

/** A mistake of the host's. */
export const prefixOf = (text: string): Prefix => {
  const [address, length] = ipaddr.IPv6.parseCIDR(text)
  if (embedded[length] === undefined) throw new RangeError(`a NAT64 prefix has 32, 40, 48, 56, 64 or 96 bits: ${text}`)
  return [address, length]
}

/** One way of writing each address; nothing if it is none. */
export const canonical = (address: string): string | undefined => parsed(address)?.toString()

/** IPv4 that is dressed up as IPv6 comes out as IPv4. */
const parsed = (address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined =>
  ipaddr.isValid(address) ? ipaddr.process(address) : undefined

export const isPublic = (address: string, nat64: ReadonlyArray<Prefix> = []): boolean => {
  const ip = parsed(address)
  if (ip === undefined) return false
  if (ip instanceof ipaddr.IPv4) return isPublic4(ip)
  const prefix = nat64.find((prefix) => ip.match([...prefix]))
  if (prefix !== undefined) return isPublic4(embeddedIn(ip, prefix))
  return ip.match(assigned) && ip.range() === "unicast"
}

const isPublic4 = (ip: ipaddr.IPv4): boolean => ip.range() === "unicast" && ip.toString() !== platformService

const embeddedIn = (ip: ipaddr.IPv6, [, length]: Prefix): ipaddr.IPv4 => {
  const bytes = ip.toByteArray()
  return new ipaddr.IPv4((embedded[length] ?? []).map((index) => bytes[index] ?? 0))
}
