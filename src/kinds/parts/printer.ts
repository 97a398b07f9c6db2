// Table output of a kind: its columns, and the cells of an object. Columns are one string: names separated by "|", with
// ":integer" or ":boolean" for a type and "*" for wide output only. The column Name has the format "name"; "!" inverts
// that.
// Upstream: pkg/printers/internalversion/printers.go

import type { KubeObject } from "#api/object.ts";
import { timeOrUndefined } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";

export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** Above 0: only in wide output. */
  readonly priority: number;
}

export interface PrintedRow {
  readonly cells: readonly unknown[];
  readonly conditions?: readonly unknown[];
}

export interface Printer {
  readonly columns: readonly TableColumn[];
  row(object: KubeObject, now: EpochMs): PrintedRow;
  /** The order of a list's rows. Absent: the order of the list. */
  order?(a: KubeObject, b: KubeObject): number;
}

export function columns(line: string): TableColumn[] {
  return line.split("|").map((text) => {
    const [label = "", type = "string"] = text.replace(/[*!]/g, "").split(":");
    return {
      name: label,
      type,
      format: (label === "Name") !== text.includes("!") ? "name" : "",
      description: label === "Age" ? "Time since the object was created." : `The object's ${label.toLowerCase()}.`,
      priority: text.includes("*") ? 1 : 0,
    };
  });
}

/** A printer of plain cells. The first cell is the object's name; the word "age" stands for its age. */
export function printer<T extends KubeObject>(
  line: string,
  cells: (object: T, now: EpochMs) => readonly unknown[],
): Printer {
  return { columns: columns(line), row: (object, now) => ({ cells: cells(object as T, now) }) };
}

export const nameOf = (object: KubeObject): string => object.metadata?.name ?? "";
export const ageOf = (object: KubeObject, now: EpochMs): string => since(object.metadata?.creationTimestamp, now);

export function since(time: string | null | undefined, now: EpochMs): string {
  const start = timeOrUndefined(time);
  return start === undefined ? "<unknown>" : humanDuration(now - start);
}

/** Two or three significant figures. Upstream: apimachinery pkg/util/duration, HumanDuration */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return two(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return two(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (hours < 192) return two(days, "d", hours % 24, "h");
  if (days < 730) return `${days}d`;
  const years = Math.trunc(days / 365);
  return days < 2920 ? two(years, "y", days % 365, "d") : `${years}y`;
}

const two = (major: number, unit: string, minor: number, minorUnit: string): string =>
  minor === 0 ? `${major}${unit}` : `${major}${unit}${minor}${minorUnit}`;

export function formatLabels(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.sort().join(",") || "<none>";
}

interface Named {
  readonly name?: string;
  readonly image?: string;
}

/** The cells Containers and Images. */
export function containerCells(containers: readonly Named[] | null | undefined): [string, string] {
  const list = containers ?? [];
  return [list.map(({ name }) => name ?? "").join(","), list.map(({ image }) => image ?? "").join(",")];
}

export const orNone = (text: string | undefined): string => text || "<none>";
export const orUnset = (text: string | undefined): string => text ?? "<unset>";

/** The first three items of a list, and the number of further ones. */
export function firstThree(items: readonly string[]): string {
  if (items.length > 3) return `${items.slice(0, 3).join(",")} + ${items.length - 3} more...`;
  return items.join(",") || "<unset>";
}

/** For kinds without other columns. */
export const nameAndAge: Printer = printer("Name|Age", (object, now) => [nameOf(object), ageOf(object, now)]);

/** Marks the default class. */
export const defaultMark = (object: KubeObject, ...annotations: readonly string[]): string =>
  annotations.some((key) => object.metadata?.annotations?.[key] === "true") ? " (default)" : "";
