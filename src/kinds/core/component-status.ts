// Component statuses. Upstream: pkg/registry/core/componentstatus; pkg/printers/internalversion/printers.go

import type * as core from "#api/generated/types/core-v1.ts";
import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { nameOf, printer } from "#kinds/parts/printer.ts";
import { schemaOnly } from "#kinds/strategy.ts";

function componentCells({ conditions, ...rest }: core.ComponentStatus): unknown[] {
  const healthy = conditions?.find(({ type }) => type === "Healthy");
  const word = healthy === undefined ? "Unknown" : healthy.status === "True" ? "Healthy" : "Unhealthy";
  return [nameOf(rest), word, healthy?.message ?? "", healthy?.error ?? ""];
}

export const componentStatus: SchemaOnlyKind<core.ComponentStatus> = {
  key: "componentstatuses",
  strategy: schemaOnly(),
  printer: printer("Name|Status|Message|Error", componentCells),
  deprecationWarning: "v1 ComponentStatus is deprecated in v1.19+",
};
