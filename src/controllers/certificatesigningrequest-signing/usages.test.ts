import { expect, it } from "vitest";
import { keyUsages } from "./usages.ts";

it("certificatesigningrequest-signing/11 usages become bits, and identifiers in order, each once", () => {
  const usages = ["s/mime", "signing", "client auth", "email protection", "digital signature", "crl sign", "any"];
  expect(keyUsages(usages)).toEqual({
    keyUsage: 0b100_0001,
    extendedKeyUsages: ["2.5.29.37.0", "1.3.6.1.5.5.7.3.2", "1.3.6.1.5.5.7.3.4"],
  });
  expect(() => keyUsages(["client auth", "x", "y"])).toThrow('unrecognized usage values: ["x" "y"]');
});
