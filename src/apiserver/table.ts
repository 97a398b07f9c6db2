// Tables for kubectl. Each kind's printer defines its columns and cells; the rest is here.
// Upstream: k8s.io/apiserver/pkg/registry/rest/table.go; pkg/endpoints/handlers/response.go, asTable

import type { Printer, TableColumn } from "#kinds/parts/printer.ts";

export interface TableRow {
  readonly cells: readonly unknown[];
  readonly conditions?: readonly unknown[];
  readonly object: unknown;
}

const column = (name: string, type: string, format: string, description: string): TableColumn => ({
  name,
  type,
  format,
  description,
  priority: 0,
});

/** For kinds without a specific printer. */
export const defaultPrinter: Printer = {
  columns: [
    column("Name", "string", "name", "The name of the object."),
    column("Created At", "date", "", "When the server created the object."),
  ],
  row: ({ metadata }) => ({ cells: [metadata?.name ?? "", metadata?.creationTimestamp ?? null] }),
};
