import { describe, expect, it } from "vitest";
import type { KubeObject } from "#api/object.ts";
import { formatMicroTime, formatTime } from "#api/time.ts";
import file from "#test/vectors/printers.json" with { type: "json" };
import { builtinKind } from "./builtin-kinds.ts";

interface Row {
  readonly r: string;
  readonly o: KubeObject;
  readonly c: readonly unknown[];
  readonly s?: readonly unknown[];
}
const { columns, rows } = file as { columns: Record<string, string[]>; rows: Row[] };
/** As upstream, which has a printer for this kind but does not use it. */
const UNPRINTED = "csistoragecapacities.storage.k8s.io";
const now = Date.UTC(2026, 4, 6, 7, 8, 9);

/** Times in the vectors are seconds before now. */
function withTimes(value: unknown, key = ""): unknown {
  if (typeof value === "string" && value.startsWith("$-")) {
    const instant = now - Number(value.slice(2)) * 1000;
    return /eventTime|lastObservedTime|renewTime|acquireTime|pingTime/.test(key)
      ? formatMicroTime(instant)
      : formatTime(instant);
  }
  if (Array.isArray(value)) return value.map((item) => withTimes(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withTimes(part, name)]));
}

describe("machinery/7.1.r12 tables", () => {
  it.each(Object.entries(columns).filter(([resource]) => resource !== UNPRINTED))(
    "%s has upstream's columns",
    (resource, expected) => {
      const own = builtinKind(resource)?.printer?.columns;
      expect(
        own?.map(({ name, type, format, priority }) => `${name} ${type} ${JSON.stringify(format)} ${priority}`),
      ).toEqual(expected);
    },
  );
  it.each([...Map.groupBy(rows, ({ r }) => r)].filter(([resource]) => resource !== UNPRINTED))(
    "%s has upstream's cells",
    (resource, list) => {
      for (const { o, c, s } of list) {
        const row = builtinKind(resource)?.printer?.row(withTimes(o) as KubeObject, now + 500);
        expect(row?.cells).toEqual(c);
        expect(row?.conditions).toEqual(s);
      }
    },
  );
});
