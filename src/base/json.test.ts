import { describe, expect, it } from "vitest";
import { stringifyJson } from "./json.ts";

describe("stringifyJson", () => {
  it.each([
    [9223372036854775807n, "9223372036854775807"],
    [[-9223372036854775808n, 1n], "[-9223372036854775808,1]"],
    [{ a: { b: 2n ** 64n }, c: undefined, d: "1n" }, '{"a":{"b":18446744073709551616},"d":"1n"}'],
    [{ at: new Date(0), n: 1n }, '{"at":"1970-01-01T00:00:00.000Z","n":1}'],
    [[undefined, Number.NaN], "[null,null]"],
    [undefined, undefined],
  ])("writes %p as JSON.stringify would, with bigints as integers", (value, text) => {
    expect(stringifyJson(value)).toBe(text as string);
  });

  it("indents", () => {
    expect(stringifyJson({ a: 1n }, 2)).toBe('{\n  "a": 1\n}');
  });

  it("refuses a cycle, as JSON.stringify does", () => {
    const cycle: { self?: object } = {};
    cycle.self = cycle;
    expect(() => stringifyJson(cycle)).toThrow(TypeError);
    expect(() => stringifyJson({ n: 1n, cycle })).toThrow(TypeError);
  });
});
