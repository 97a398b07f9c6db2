import { expect, it } from "vitest";
import { alternativeNames } from "./certificate-fields.ts";

it.each([
  ["DNS:localhost, IP Address:127.0.0.1, DNS:*.x", ["localhost", "*.x"], ["127.0.0.1"]],
  ['DNS:"a, IP Address:10.0.0.1", DNS:b', ['"a, IP Address:10.0.0.1"', "b"], []],
  ["URI:spiffe://x, email:a@b", [], []],
  [undefined, [], []],
])("alternative names in %j", (text, names, addresses) => {
  expect([alternativeNames(text, "DNS"), alternativeNames(text, "IP Address")]).toEqual([names, addresses]);
});
