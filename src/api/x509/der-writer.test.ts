import fc from "fast-check";
import { expect, it } from "vitest";
import {
  DER_OCTET_STRING,
  DER_SEQUENCE,
  DER_SET,
  derContent,
  derInteger,
  derParts,
  derValue,
  objectIdentifier,
} from "./der.ts";
import { flagsOf, identifierOf, integerOf, octetsOf, sequenceOf, setOf, timeOf } from "./der-writer.ts";

const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const latin1 = (bytes: Uint8Array): string => String.fromCharCode(...bytes);

it("writes numbers, identifiers and bytes of any length that the reader reads", () => {
  const identifier = fc
    .tuple(fc.nat(2), fc.nat(39), fc.array(fc.bigInt({ min: 0n, max: 1n << 70n }), { maxLength: 8 }))
    .map(([first, second, rest]) => [first, second, ...rest].join("."));
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 1n << 200n }),
      identifier,
      fc.uint8Array({ maxLength: 70_000 }),
      (n, oid, bytes) => {
        const value = derValue(sequenceOf(integerOf(n), identifierOf(oid), octetsOf(bytes)));
        const [number, id, octets] = derParts(value, DER_SEQUENCE);
        expect(derInteger(number)).toBe(n);
        expect(objectIdentifier(id)).toBe(oid);
        expect(derContent(octets, DER_OCTET_STRING)).toEqual(bytes);
      },
    ),
    { numRuns: 200 },
  );
});

it("sorts sets by the encoding of their elements", () => {
  const set = setOf(octetsOf(new Uint8Array([2])), octetsOf(new Uint8Array([1, 1])), octetsOf(new Uint8Array([1])));
  expect(derParts(derValue(set), DER_SET).map(({ content }) => [...content])).toEqual([[1], [2], [1, 1]]);
});

// Of X.690, 11.2.2: no zero bits at the end.
it.each([
  [0, "030100"],
  [1, "03020780"],
  [0b1100001, "03020186"],
  [1 << 8, "0303070080"],
])("writes the flags %i", (flags, der) => {
  expect(hex(flagsOf(flags))).toBe(der);
});

// RFC 5280, 4.1.2.5
it.each([
  [Date.UTC(1949, 11, 31, 23, 59, 59), 0x18, "19491231235959Z"],
  [Date.UTC(1950, 0, 1), 0x17, "500101000000Z"],
  [Date.UTC(2049, 11, 31, 23, 59, 59, 999), 0x17, "491231235959Z"],
  [Date.UTC(2050, 0, 1, 1, 2, 3), 0x18, "20500101010203Z"],
])("writes the time %i", (timeMs, tag, text) => {
  const value = derValue(timeOf(timeMs));
  expect([value.tag, latin1(value.content)]).toEqual([tag, text]);
});
