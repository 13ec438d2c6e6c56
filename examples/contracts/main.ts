import { SideEffect } from "@haft/core"
import { Contract, Leaf, Orloj, Outcome, Rendering } from "@haft/wire"

const outcome = Outcome.make({
  leaf: Leaf.make("Failure.RateLimited", { retryAfterMs: 500 }),
  effect: SideEffect.none,
  call: { callId: "req-123", toolName: "search_web", toolId: "search.web", version: "1.4.2" }
})

for (const contract of Contract.Contract.literals) {
  const rendered = Rendering.render(contract, outcome)
  const { error, kind, status = kind } = rendered._tag === "Envelope" ? JSON.parse(rendered.envelope) : {}
  console.log(contract, status, error?.code ?? "-")
}

const orloj = Orloj.make()
const timeout = {
  request_id: "req-124",
  status: "error",
  error: { code: "timeout", reason: "tool_execution_timeout", retryable: true, message: "Too slow", details: {} }
}

const read = orloj.decode(timeout, { access: "read" })
console.log(read.leaf._tag, read.effect._tag, read.retry)

const write = orloj.decode(timeout, { access: "write" })
console.log(write.leaf._tag, write.effect._tag, write.retry)
