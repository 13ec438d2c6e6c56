/** File systems whose files are not data: reading or writing one acts on the kernel, the host or another process. */
import { fileSystemType, type Pin } from "./pins.ts"

/** As `linux/magic.h` numbers them. */
const types: ReadonlySet<number> = new Set([
  0x9fa0, // proc
  0x62656572, // sysfs
  0x1cd1, // devpts
  0x27e0eb, // cgroup
  0x63677270, // cgroup2
  0x64626720, // debugfs
  0x74726163, // tracefs
  0x73636673, // securityfs
  0x62656570, // configfs
  0xcafe4a11, // bpf
  0x6165676c, // pstore
  0xde5e81e4, // efivarfs
  0xf97cff8c, // selinuxfs
  0x42494e4d, // binfmt_misc
  0x65735543, // fusectl
  0x19800202, // mqueue
  0x6e736673 // nsfs
])

export const isKernelFileSystem = (pin: Pin): boolean => types.has(fileSystemType(pin))
