import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeObject, encodeObject, formatOfMediaType } from "#api/codec.ts";
import { CodecError } from "#api/codec-error.ts";
import { INT64_MAX, INT64_MIN, int64Of } from "#api/int64.ts";
import { JSON_DEPTH_MAX, parseJson, parseJsonBytes, untyped } from "#api/json.ts";
import type { KubeObject } from "#api/object.ts";
import { stringifyJson } from "#base/json.ts";

/** A double beyond 2^53 is written as an integer, so it is read as one; upstream does the same. */
function asRead(value: unknown): unknown {
  const isWritten = typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(String(value));
  return isWritten ? (int64Of(BigInt(String(value))) ?? value) : value;
}

/** JSON values with integers of all 64 bits. */
const int64Json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.bigInt({ min: INT64_MIN, max: INT64_MAX }).map((value) => int64Of(value)),
    fc.string(),
    fc.constant(null),
    fc.array(tie("value")),
    fc.dictionary(fc.string(), tie("value")),
  ),
})).value;

describe("JSON", () => {
  it("decodes what it encodes", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
        const bytes = encodeObject(object as KubeObject, "application/json");
        const expected = JSON.parse(JSON.stringify(object), (_key, value) => asRead(value));
        expect(decodeObject(bytes, "application/json; charset=utf-8")).toEqual(expected);
      }),
    );
  });

  it("decodes every int64 that it encodes, in either form", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), int64Json), (object) => {
        const bytes = encodeObject(object as KubeObject, "application/json");
        expect(decodeObject(bytes, "application/json")).toEqual(object as KubeObject);
        expect(parseJson(stringifyJson(object, 2))).toEqual(object);
      }),
    );
  });

  it("keeps an integer beyond int64 for a type to refuse", () => {
    expect(parseJson('{"a":9223372036854775808,"b":1}', "bigint")).toEqual({ a: 9223372036854775808n, b: 1 });
    expect(parseJson("123456789012345678901234567890", "bigint")).toBe(123456789012345678901234567890n);
  });

  it.each([
    ["9007199254740991", 9007199254740991],
    ["-9007199254740991", -9007199254740991],
    ["9007199254740992", 9007199254740992n],
    ["-9007199254740992", -9007199254740992n],
    ["9007199254740993", 9007199254740993n],
    ["9223372036854775807", 9223372036854775807n],
    ["-9223372036854775808", -9223372036854775808n],
    [" \n9223372036854775807\t", 9223372036854775807n],
    ["9223372036854775807.0", 2 ** 63],
    ["1e18", 1e18],
    ["1.5e3", 1500],
    ["0.1234567890123456789", 0.12345678901234568],
    // Beyond int64, upstream itself keeps a double.
    ["9223372036854775808", 2 ** 63],
    ["-9223372036854775809", -(2 ** 63)],
    ["123456789012345678901234567890", 1.2345678901234568e29],
    ['"12345678901234567890"', "12345678901234567890"],
    ['"a\\\\\\"9223372036854775807"', 'a\\"9223372036854775807'],
  ])("keeps %s", (text, value) => {
    expect(parseJson(`{"a":[${text}]}`)).toEqual({ a: [value] });
  });

  it.each([
    ["1e400", /out of range/],
    ["1".repeat(400), /out of range/],
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

  it("refuses bytes that are not UTF-8, and values that are not objects", () => {
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
    expect(Object.entries(parseJson('{"__proto__":9223372036854775807}') as object)).toEqual([
      ["__proto__", 9223372036854775807n],
    ]);
  });

  it("recognizes content types regardless of their parameters", () => {
    expect(formatOfMediaType("application/vnd.kubernetes.protobuf;stream=watch")).toBe("protobuf");
    expect(formatOfMediaType("Application/JSON ; charset=utf-8")).toBe("json");
    expect(formatOfMediaType("application/yaml")).toBe("yaml");
    expect(formatOfMediaType("*/*")).toBeUndefined();
  });
});

describe("values that were not read", () => {
  it("take the form of values that were, and share what needs no change", () => {
    const same = { a: [1, "b", { c: INT64_MAX }] };
    expect(untyped(same)).toBe(same);
    const given = { a: same, b: [5n, INT64_MAX + 1n], ["__proto__"]: 1n };
    const read = untyped(given) as typeof given;
    expect(read.a).toBe(same);
    expect(stringifyJson(read)).toBe(
      '{"a":{"a":[1,"b",{"c":9223372036854775807}]},"b":[5,9223372036854776000],"__proto__":1}',
    );
    expect(read.b as unknown[]).toEqual([5, 2 ** 63]);
  });
});
