/** Of this package, as `haft --version` tells it. */
export const version = "0.1.0"
