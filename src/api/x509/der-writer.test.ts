import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  bitStringBytes,
  DER_OCTET_STRING,
  DER_SEQUENCE,
  derInteger,
  derParts,
  derValue,
  objectIdentifier,
} from "./der.ts";
import { der, derBytesAsBits, derFlags, derIdentifier, derNumber, derSequence, derTime } from "./der-writer.ts";

const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

describe("what is written in DER", () => {
  it("is read again, however long it is", () => {
    for (const length of [0, 1, 127, 128, 255, 256, 65_535, 65_536]) {
      const content = new Uint8Array(length).fill(7);
      const [first, second] = derParts(
        derValue(derSequence(der(DER_OCTET_STRING, content), derNumber(1n))),
        DER_SEQUENCE,
      );
      expect(first?.content).toEqual(content);
      expect(derInteger(second)).toBe(1n);
    }
  });

  it("keeps numbers and identifiers", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 160n }), (value) => {
        expect(derInteger(derValue(derNumber(value)))).toBe(value);
      }),
    );
    for (const identifier of ["2.5.4.3", "1.2.840.10045.4.3.2", "1.3.6.1.5.5.7.3.1", "2.999.4294967295"]) {
      expect(objectIdentifier(derValue(derIdentifier(identifier)))).toBe(identifier);
    }
    const bytes = Uint8Array.of(0, 1, 255);
    expect(bitStringBytes(derValue(derBytesAsBits(bytes)))).toEqual(bytes);
  });

  it("is the shortest form", () => {
    expect(hex(derNumber(0n))).toBe("020100");
    expect(hex(derNumber(127n))).toBe("02017f");
    expect(hex(derNumber(128n))).toBe("02020080");
    expect(hex(derFlags(0b0000_0001))).toBe("03020780"); // digitalSignature
    expect(hex(derFlags(0b0110_0001))).toBe("03020186"); // and keyCertSign, cRLSign
    expect(hex(derFlags(0b1_0000_0000))).toBe("0303070080"); // decipherOnly
  });

  it("has times of two digits for the year until 2049, of four from then on", () => {
    const text = (timeMs: number): string => String.fromCharCode(...derValue(derTime(timeMs)).content);
    expect(text(Date.UTC(2049, 11, 31, 23, 59, 59, 999))).toBe("491231235959Z");
    expect(text(Date.UTC(2050, 0, 1))).toBe("20500101000000Z");
  });
});
