// Table columns of a custom resource: its name, then the columns of its definition, or by default its age.
// Upstream: apiextensions-apiserver/pkg/registry/customresource/tableconvertor

import { ValueError } from "#api/errors.ts";
import type { CustomResourceColumnDefinition } from "#api/generated/types/apiextensions-v1.ts";
import { int64From } from "#api/int64.ts";
import { goFormat } from "#api/patch/go-format.ts";
import { parseTime } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";
import { sortedJson } from "#cel/json-schema.ts";
import { columns, humanDuration, nameOf, type Printer, type TableColumn } from "#kinds/parts/printer.ts";
import { type JsonPath, parseJsonPath } from "./json-path.ts";

const AGE: CustomResourceColumnDefinition = {
  name: "Age",
  type: "date",
  description: "Time since the object was created.",
  jsonPath: ".metadata.creationTimestamp",
};

export function customPrinter(given: readonly CustomResourceColumnDefinition[] | undefined): Printer {
  const all: { readonly header: TableColumn; readonly path: JsonPath }[] = [];
  for (const column of given === undefined || given.length === 0 ? [AGE] : given) {
    const path = parseJsonPath(column.jsonPath);
    // As upstream, columns from the first unparsable path on are not printed.
    if (path === undefined) break;
    const { name, type, format = "", priority = 0 } = column;
    const description =
      column.description || `Custom resource definition column (in JSONPath format): ${column.jsonPath}`;
    all.push({ header: { name, type, format, description, priority }, path });
  }
  return {
    columns: [...columns("Name"), ...all.map(({ header }) => header)],
    row: (object, now) => ({
      cells: [nameOf(object), ...all.map(({ header, path }) => cell(header.type, path(object), now))],
    }),
  };
}

function cell(type: string, found: readonly unknown[], now: EpochMs): unknown {
  if (found.length === 0) return null;
  const [value] = found;
  if (type === "string") {
    if (value === null) return "<nil>";
    return typeof value === "object" ? sortedJson(value) : goFormat(value);
  }
  if (type === "integer") return typeof value === "number" || typeof value === "bigint" ? int64From(value) : null;
  if (type === "number") return typeof value === "number" || typeof value === "bigint" ? Number(value) : null;
  if (type === "boolean") return typeof value === "boolean" ? value : null;
  return type === "date" && typeof value === "string" ? ageOf(value, now) : null;
}

function ageOf(text: string, now: EpochMs): string {
  if (text === "" || text === "null") return "<unknown>";
  try {
    return humanDuration(now - parseTime(text));
  } catch (error) {
    if (error instanceof ValueError) return "<invalid>";
    throw error;
  }
}
