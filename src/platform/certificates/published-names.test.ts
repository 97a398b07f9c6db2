// The hashes and signatures of published objects, as Go's programs compute them.

import { describe, expect, it } from "vitest";
import { Secrets } from "#api/generated/resources/core-v1.ts";
import { stored } from "#api/testing.ts";
import { formatTime } from "#api/time.ts";
import { signedData, signingToken } from "#controllers/bootstrap-signer/signatures.ts";
import { bundleName } from "#controllers/kube-apiserver-serving-clustertrustbundle-publisher/bundle-name.ts";
import { systemKeys } from "../system/system-keys.ts";

it("kube-apiserver-serving-clustertrustbundle-publisher/1 a bundle is named after its hash", () => {
  expect(bundleName("kubernetes.io/kube-apiserver-serving", "abc", systemKeys)).toBe(
    "kubernetes.io:kube-apiserver-serving:ba7816bf8f01cfea414140de",
  );
});

const NOW = Date.UTC(2026, 0, 1);

function token(
  changes: Readonly<Record<string, string | undefined>> = {},
  name = "bootstrap-token-tokenid",
): object | undefined {
  const texts = { "token-id": "abcdef", "token-secret": "secret", "usage-bootstrap-signing": "true", ...changes };
  const data = Object.fromEntries(
    Object.entries(texts).flatMap(([key, text]) => (text === undefined ? [] : [[key, btoa(text)]])),
  );
  const metadata = { name: name.replace("tokenid", "abcdef"), namespace: "kube-system" };
  return signingToken(stored(Secrets, { metadata, type: "bootstrap.kubernetes.io/token", data }), NOW);
}

describe("bootstrap-signer/2 a bootstrap token", () => {
  it.each([
    { what: "as kubeadm makes it", maySign: true },
    { what: "without an id", changes: { "token-id": undefined }, maySign: false },
    { what: "with another id", changes: { "token-id": "zzzzzz" }, maySign: false },
    { what: "without a secret", changes: { "token-secret": undefined }, maySign: false },
    { what: "with another value for signing", changes: { "usage-bootstrap-signing": "True" }, maySign: false },
    { what: "without a usage", changes: { "usage-bootstrap-signing": undefined }, maySign: false },
    { what: "with authentication disabled", changes: { "usage-bootstrap-authentication": "false" }, maySign: true },
    { what: "that expires later", changes: { expiration: formatTime(NOW + 1000) }, maySign: true },
    { what: "that expires now", changes: { expiration: formatTime(NOW) }, maySign: false },
    { what: "with an invalid expiration", changes: { expiration: "tomorrow" }, maySign: false },
    { what: "with a long name", name: "bootstrap-token-tokenid7", maySign: false },
    { what: "with another name", name: "token-tokenid", maySign: false },
  ])("$what may sign: $maySign", ({ changes, name, maySign }) => {
    expect(token(changes, name) !== undefined).toBe(maySign);
  });
});

/** From upstream's test: k8s.io/cluster-bootstrap/token/jws, jws_test.go. */
const UPSTREAM = {
  content: "Hello from the other side. I must have called a thousand times.",
  id: "joshua",
  secret: "my voice is my passcode",
};

it("bootstrap-signer/3 bootstrap-signer/tests signs as upstream does", () => {
  const { content, id, secret } = UPSTREAM;
  const tokens = [{ id, secret: new TextEncoder().encode(secret) }];
  expect(signedData({ kubeconfig: content }, tokens, systemKeys)).toEqual({
    kubeconfig: content,
    "jws-kubeconfig-joshua": "eyJhbGciOiJIUzI1NiIsImtpZCI6Impvc2h1YSJ9..VShe2taLd-YTrmWuRkcL_8QTNDHYxQIEBsAYYiIj1_8",
  });
});
