import { describe, expect, it } from "vitest";
import { Secrets, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import { stored } from "#api/testing.ts";
import { filledSecret, lackingData } from "./secret-data.ts";

const CA = "CA ü";
const full = { "ca.crt": btoa("CA \u00c3\u00bc"), namespace: btoa("ns"), token: btoa("ABC") };
const { token: _token, ...withoutToken } = full;
const { namespace: _namespace, ...withoutNamespace } = full;
const { "ca.crt": _ca, ...withoutCa } = full;

describe("what a token secret lacks", () => {
  it.each([
    { what: "nothing when all is there", data: full, lacking: [] },
    { what: "everything in a new secret", data: undefined, lacking: ["ca.crt", "namespace", "token"] },
    { what: "a token", data: withoutToken, lacking: ["token"] },
    { what: "a token that is empty", data: { ...full, token: "" }, lacking: ["token"] },
    { what: "no other token", data: { ...full, token: btoa("mine") }, lacking: [] },
    { what: "a namespace", data: withoutNamespace, lacking: ["namespace"] },
    { what: "a namespace that is empty", data: { ...full, namespace: "" }, lacking: ["namespace"] },
    { what: "no other namespace", data: { ...full, namespace: btoa("custom") }, lacking: [] },
    { what: "a CA", data: withoutCa, lacking: ["ca.crt"] },
    { what: "the right CA", data: { ...full, "ca.crt": btoa("mismatched") }, lacking: ["ca.crt"] },
  ])("serviceaccount-token/5 $what", ({ data, lacking }) => {
    expect(lackingData(data === undefined ? {} : { data }, CA)).toEqual(lacking);
  });

  it("serviceaccount-token/5 never a CA when there is none to publish", () => {
    expect(lackingData({ data: withoutCa }, "")).toEqual([]);
    expect(lackingData({ data: { ...full, "ca.crt": btoa("mine") } }, "")).toEqual([]);
  });
});

describe("a filled secret", () => {
  const account = stored(ServiceAccounts, { metadata: { name: "bot", uid: "12345" } });
  const secret = stored(Secrets, {
    metadata: { name: "t", annotations: { mine: "1" }, labels: { a: "b" } },
    type: "kubernetes.io/service-account-token",
    data: { extra: btoa("x"), token: btoa("mine") },
  });

  it("serviceaccount-token/6 has what it lacked, both annotations, and all that was there", () => {
    const token = (): string => {
      throw new Error("it has one");
    };
    expect(filledSecret(secret, account, { rootCa: CA, token })).toEqual({
      ...secret,
      metadata: {
        ...secret.metadata,
        annotations: {
          mine: "1",
          "kubernetes.io/service-account.name": "bot",
          "kubernetes.io/service-account.uid": "12345",
        },
      },
      data: { extra: btoa("x"), ...full, token: btoa("mine") },
    });
  });

  it("serviceaccount-token/6 gets a token only when it has none", () => {
    const filled = filledSecret(stored(Secrets, { metadata: { name: "t" } }), account, {
      rootCa: CA,
      token: () => "ABC",
    });
    expect(filled.data).toEqual(full);
  });
});
