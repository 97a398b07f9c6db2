// YAML against upstream's own conversions (tools/go/vectors-yaml), and hostile documents.

import { describe, expect, it } from "vitest";
import { CodecError } from "#api/codec-error.ts";
import { parseJson } from "#api/json.ts";
import { decodeYaml } from "#api/yaml.ts";
import vectors from "#test/vectors/yaml.json" with { type: "json" };

const rows = vectors as [text: string, json: string, strictError: string][];

describe("YAML", () => {
  it.each(rows.filter(([, json]) => json !== ""))("reads %j as upstream does", (text, json) => {
    expect(decodeYaml(text).value).toEqual(parseJson(json));
  });

  it.each(rows.filter(([, json]) => json === ""))("refuses %j as upstream does", (text) => {
    expect(() => decodeYaml(text)).toThrow(CodecError);
  });

  it.each(rows.filter(([, json]) => json !== ""))("finds the duplicate keys of %j", (text, _json, strictError) => {
    const expected = strictError
      .split("\n")
      .slice(1)
      .map((line) => line.trim());
    expect(decodeYaml(text).duplicates).toEqual(expected);
  });

  it("does not let a document grow by aliases of aliases", () => {
    let text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
    for (let level = 1; level < 10; level++) {
      text += `a${level}: &a${level} [${Array(9)
        .fill(`*a${level - 1}`)
        .join(",")}]\n`;
    }
    expect(() => decodeYaml(text)).toThrow(/excessive aliasing/);
  });

  it("refuses nesting that later recursion would not survive", () => {
    const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
    expect(() => decodeYaml(nested(400))).not.toThrow();
    for (const depth of [502, 1500, 5000]) expect(() => decodeYaml(nested(depth))).toThrow(/exceeded max depth/);
    expect(() => decodeYaml("[".repeat(200_000))).toThrow(CodecError);
  });

  it("gives up on hostile documents before it builds them", () => {
    const size = 600_000;
    for (const nested of ["[", "{a: ", "- ", "? ", "[{a: "]) {
      expect(() => decodeYaml(nested.repeat(size / nested.length))).toThrow("yaml: exceeded max depth");
    }
    for (const wide of ["1,", "[],", "a: b,", "*a,"]) {
      expect(() => decodeYaml(`[${wide.repeat(size / wide.length)}]`)).toThrow("yaml: document has more than 300000");
    }
    expect(() => decodeYaml("!!a ".repeat(40_000))).toThrow(
      "yaml: A node can have at most one tag at line 1, column 5",
    );
    expect(decodeYaml("--- a\n".repeat(size / 6)).value).toBe("a");
  }, 60_000);

  it("keeps every int64, and beyond it a double unless a type asks for the integer", () => {
    const text = "[9223372036854775807, -9223372036854775808, 0x7fffffffffffffff, 9007199254740991]";
    const read = [9223372036854775807n, -9223372036854775808n, 9223372036854775807n, 9007199254740991];
    expect(decodeYaml(text).value).toEqual(read);
    expect(decodeYaml("[18446744073709551615, 18446744073709551616]").value).toEqual([2 ** 64, 2 ** 64]);
    expect(decodeYaml("18446744073709551615", "bigint").value).toBe(18446744073709551615n);
    expect(decodeYaml("9223372036854775807: 1").value).toEqual({ "9223372036854775807": 1 });
    expect(decodeYaml("1".repeat(300)).value).toBe(Number("1".repeat(300)));
  });

  it("makes __proto__ a key like any other", () => {
    const value = decodeYaml("__proto__: {polluted: true}\n").value as object;
    expect(Object.keys(value)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
