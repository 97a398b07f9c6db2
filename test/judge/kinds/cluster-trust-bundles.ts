// Cluster trust bundles, as the real server judges them.

import type { KindRow } from "../kind-row.ts";

const ONE =
  "-----BEGIN CERTIFICATE-----\n" +
  "MIIBAjCBtaADAgECAgEHMAUGAytlcDARMQ8wDQYDVQQDEwZjYS1vbmUwHhcNMjYw\n" +
  "MTAyMDMwNDA1WhcNMjYwMTAzMDMwNDA1WjARMQ8wDQYDVQQDEwZjYS1vbmUwKjAF\n" +
  "BgMrZXADIQBPjR3O/iLG8GxCGaMqz+iNkUJIVwgNdvfuQsBDQNfS6aMyMDAwDwYD\n" +
  "VR0TAQH/BAUwAwEB/zAdBgNVHQ4EFgQUJXTCPsy4nKvJGzh5O5yecftpB28wBQYD\n" +
  "K2VwA0EASOuQ14IJ04WZeEDsmYfDjDXze8pNYgI1a77sCulqcD2uovHI2QTVKTvL\n" +
  "lfVVMV0icWdC4WeWJHKPWYMTP31cCA==\n" +
  "-----END CERTIFICATE-----\n";
const OTHER =
  "-----BEGIN CERTIFICATE-----\n" +
  "MIIBAjCBtaADAgECAgEHMAUGAytlcDARMQ8wDQYDVQQDEwZjYS10d28wHhcNMjYw\n" +
  "MTAyMDMwNDA1WhcNMjYwMTAzMDMwNDA1WjARMQ8wDQYDVQQDEwZjYS10d28wKjAF\n" +
  "BgMrZXADIQD4aeTNBo99Xiri1K+9SqdapCp3wNNLDzyZiBFxBy2o0qMyMDAwDwYD\n" +
  "VR0TAQH/BAUwAwEB/zAdBgNVHQ4EFgQUtv8tW4YCc5rIU6zV1U9cwiYAvyMwBQYD\n" +
  "K2VwA0EAk2u6XmnE5M8P4ygfvDrOLI/dfVCi7DjemSiwoNjLMnx9mmRvCMM/kINt\n" +
  "olBAZ272xrppWPFtjKGKPWx/0v5nBA==\n" +
  "-----END CERTIFICATE-----\n";

export const clusterTrustBundles: KindRow = {
  label: "ClusterTrustBundle",
  apiVersion: "certificates.k8s.io/v1beta1",
  kind: "ClusterTrustBundle",
  resource: "clustertrustbundles",
  isClusterScoped: true,
  minimal: { spec: { trustBundle: ONE } },
  full: {
    metadata: { name: "example.com:signer:$ns-a" },
    spec: { signerName: "example.com/signer", trustBundle: ONE + OTHER },
  },
  invalid: [
    {},
    { spec: { trustBundle: "" } },
    { spec: { trustBundle: "no PEM" } },
    { spec: { trustBundle: `text\n${ONE}` } },
    { spec: { trustBundle: ONE + ONE } },
    { spec: { trustBundle: ONE.replaceAll("CERTIFICATE", "PRIVATE KEY") } },
    { spec: { trustBundle: "-----BEGIN CERTIFICATE-----\neA==\n-----END CERTIFICATE-----\n" } },
    { spec: { trustBundle: ONE, signerName: "example.com/signer" } },
    { metadata: { name: "a:b" }, spec: { trustBundle: ONE } },
    { metadata: { name: "example.com:signer:Bad Name" }, spec: { trustBundle: ONE, signerName: "example.com/signer" } },
    { metadata: { name: "bad:x" }, spec: { trustBundle: ONE, signerName: "bad" } },
  ],
  updates: [
    { spec: { trustBundle: ONE + OTHER } },
    { spec: { trustBundle: "no PEM" } },
    { spec: { signerName: "example.com/signer" } },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  patches: {
    merge: { metadata: { annotations: { a: "b" } } },
    json: [{ op: "replace", path: "/spec/trustBundle", value: OTHER }],
    strategic: { metadata: { labels: { c: "d" } } },
  },
  otherContent: { spec: { trustBundle: OTHER } },
};
