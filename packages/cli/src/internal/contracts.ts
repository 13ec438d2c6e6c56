/** The contracts that are served over HTTP, by the names that people type. */
export const contracts = { orloj: "orloj", uicp: "uicp" } as const

export type Contract = keyof typeof contracts
