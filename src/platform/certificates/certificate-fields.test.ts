import { expect, it } from "vitest";
import { alternativeNames, attributesOf } from "./certificate-fields.ts";

it.each([
  ["O=system:masters\nO=ops\nCN=admin", { O: ["system:masters", "ops"], CN: ["admin"] }],
  ["O=one + CN=two", { O: ["one"], CN: ["two"] }],
  ["CN=a\\,b\\\\c", { CN: ["a,b\\c"] }],
  ["CN=a=b", { CN: ["a=b"] }],
])("attributes of %j", (text, expected) => {
  expect(Object.fromEntries(attributesOf(text))).toEqual(expected);
});

it("a distinguished name without attributes", () => {
  expect(attributesOf(undefined).get("CN")).toBeUndefined();
});

it.each([
  ["DNS:localhost, IP Address:127.0.0.1, DNS:*.x", ["localhost", "*.x"], ["127.0.0.1"]],
  ['DNS:"a, IP Address:10.0.0.1", DNS:b', ['"a, IP Address:10.0.0.1"', "b"], []],
  ["URI:spiffe://x, email:a@b", [], []],
  [undefined, [], []],
])("alternative names in %j", (text, names, addresses) => {
  expect([alternativeNames(text, "DNS"), alternativeNames(text, "IP Address")]).toEqual([names, addresses]);
});
