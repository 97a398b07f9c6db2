import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeObject, encodeObject, formatOfMediaType } from "#api/codec.ts";
import { CodecError } from "#api/codec-error.ts";
import { JSON_DEPTH_MAX, parseJson, parseJsonBytes } from "#api/json.ts";
import type { KubeObject } from "#api/object.ts";

describe("JSON", () => {
  it("decodes what it encodes", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
        const bytes = encodeObject(object as KubeObject, "application/json");
        expect(decodeObject(bytes, "application/json; charset=utf-8")).toEqual(JSON.parse(JSON.stringify(object)));
      }),
    );
  });

  it.each([
    ["9007199254740991", 9007199254740991],
    ["-9007199254740991", -9007199254740991],
    ["9007199254740992", 9007199254740992],
    ["1.5e3", 1500],
    ["0.1234567890123456789", 0.12345678901234568],
    // Beyond int64, upstream itself keeps a double.
    ["123456789012345678901234567890", 1.2345678901234568e29],
    ['"12345678901234567890"', "12345678901234567890"],
    ['"a\\\\\\"9223372036854775807"', 'a\\"9223372036854775807'],
  ])("keeps %s", (text, value) => {
    expect(parseJson(`{"a":[${text}]}`)).toEqual({ a: [value] });
  });

  it.each([
    ["9007199254740993", /cannot be kept exactly/],
    ["-9223372036854775808", /cannot be kept exactly/],
    ["9223372036854775807", /cannot be kept exactly/],
    ["1e400", /out of range/],
    ["-1e999", /out of range/],
    ["01", /invalid JSON/],
    ["NaN", /invalid JSON/],
    ['"\u0001"', /invalid JSON/],
  ])("refuses %s", (text, message) => {
    expect(() => parseJson(`{"a":[${text}]}`)).toThrow(message);
    expect(() => parseJson(`{"a":[${text}]}`)).toThrow(CodecError);
  });

  it("bounds nesting, and does not mistake brackets in strings for it", () => {
    const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
    expect(() => parseJson(nested(JSON_DEPTH_MAX))).not.toThrow();
    expect(() => parseJson(nested(JSON_DEPTH_MAX + 1))).toThrow("exceeded max depth");
    expect(() => parseJson("[".repeat(5_000_000))).toThrow("exceeded max depth");
    expect(parseJson(JSON.stringify(["[".repeat(5000), "\\"]))).toHaveLength(2);
  });

  it("refuses bytes that are no UTF-8, and what is no object", () => {
    expect(() => parseJsonBytes(new Uint8Array([0x22, 0xff, 0x22]))).toThrow("invalid UTF-8");
    for (const text of ["[]", "null", "1", '"a"']) {
      expect(() => decodeObject(new TextEncoder().encode(text), "application/json")).toThrow(/an object was expected/);
    }
    expect(() => decodeObject(new Uint8Array(), "text/plain")).toThrow("no codec decodes text/plain");
    expect(() => encodeObject({}, "application/cbor")).toThrow(CodecError);
  });

  it("makes __proto__ an own property", () => {
    const object = parseJson('{"__proto__":{"polluted":true}}') as object;
    expect(Object.hasOwn(object, "__proto__")).toBe(true);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it("knows content types by name, whatever their parameters", () => {
    expect(formatOfMediaType("application/vnd.kubernetes.protobuf;stream=watch")).toBe("protobuf");
    expect(formatOfMediaType("Application/JSON ; charset=utf-8")).toBe("json");
    expect(formatOfMediaType("application/yaml")).toBe("yaml");
    expect(formatOfMediaType("*/*")).toBeUndefined();
  });
});
