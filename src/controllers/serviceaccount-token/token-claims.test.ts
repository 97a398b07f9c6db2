import { expect, it } from "vitest";
import { Secrets, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import { stored } from "#api/testing.ts";
import { tokenClaims } from "./token-claims.ts";

it("serviceaccount-token/7 a token names its account and its Secret, in sorted order and without an expiry", () => {
  const claims = tokenClaims(
    stored(ServiceAccounts, { metadata: { name: "bot", uid: "12345" } }),
    stored(Secrets, { metadata: { name: "bot-token", uid: "67890" } }),
  );
  expect(Object.entries(claims)).toEqual([
    ["iss", "kubernetes/serviceaccount"],
    ["kubernetes.io/serviceaccount/namespace", "ns"],
    ["kubernetes.io/serviceaccount/secret.name", "bot-token"],
    ["kubernetes.io/serviceaccount/service-account.name", "bot"],
    ["kubernetes.io/serviceaccount/service-account.uid", "12345"],
    ["sub", "system:serviceaccount:ns:bot"],
  ]);
});
