import { describe, expect, it } from "vitest";
import { lookUp } from "#platform/system/call-site.ts";
import { lineTable } from "./line-table.ts";

describe("the table of lines", () => {
  // Line 1: column 0 is src/a.ts line 1, column 4 its line 3, again at column 8; column 16 is a library's, column 20
  // src/b.ts line 40. Line 3: column 2 is src/a.ts line 2.
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
