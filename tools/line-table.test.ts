import { describe, expect, it } from "vitest";
import { lookUp } from "#platform/system/call-site.ts";
import { lineTable } from "./line-table.ts";

describe("the table of lines", () => {
  // Line 1: columns 0, 4 and 8 are lines 1, 3 and 3 of src/a.ts; column 16 is in a library; column 20 is line 40 of
  // src/b.ts. Line 3: column 2 is line 2 of src/a.ts.
  const table = lineTable({
    sources: ["../src/a.ts", "../node_modules/x/x.js", "../src/b.ts"],
    mappings: "AAAA,IAEA,IAAC,QCAA,ICqCA;;EFtCA",
  });

  it.each<[number, number, string | undefined]>([
    [1, 1, "src/a.ts:1"],
    [1, 4, "src/a.ts:1"],
    [1, 5, "src/a.ts:3"],
    [1, 16, "src/a.ts:3"],
    [1, 17, undefined],
    [1, 20, undefined],
    [1, 21, "src/b.ts:40"],
    [1, 999, "src/b.ts:40"],
    [2, 1, undefined],
    [3, 1, undefined],
    [3, 3, "src/a.ts:2"],
    [4, 1, undefined],
  ])("finds line %i, column %i in %s", (line, column, wanted) => {
    const place = lookUp(table, line, column);
    expect(place && `${place.file}:${place.line}`).toBe(wanted);
  });

  it("has one entry for each line", () => {
    expect(table.lines[1]).toHaveLength(4 * 3);
  });
});
