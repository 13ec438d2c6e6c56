/** Who decides about approvals from outside of the process, as the token proves it. */
import * as Context from "effect/Context"

export interface Interface {
  readonly name: string
  /** Whose calls, if not everybody's. */
  readonly tenantId?: string
}

export class Service extends Context.Service<Service, Interface>()("@haft/gateway/Approver") {}
