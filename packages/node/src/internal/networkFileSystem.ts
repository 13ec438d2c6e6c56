/** File systems whose locks cannot be trusted, because another machine keeps them. */
import * as Fs from "node:fs"

/** From `statfs(2)`: NFS, SMB, CIFS and SMB2. */
const networkFileSystems: ReadonlySet<number> = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42])

/** The kernel's number for a kind of file system is unsigned, Node's may be negative. */
export const isOnNetwork = (directory: string): boolean => networkFileSystems.has(Fs.statfsSync(directory).type >>> 0)
