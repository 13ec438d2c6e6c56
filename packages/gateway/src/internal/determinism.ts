/** What calling a tool again would do. */
import type * as Tool from "@haft/core/Tool"
import type { ToolDefinition } from "@haft/core/ToolDefinition"

/** A tool that says nothing is taken to act every time. */
export const determinismOf = ({ annotations }: ToolDefinition): NonNullable<Tool.Annotations["determinism"]> =>
  annotations.determinism ?? "side_effectful"
