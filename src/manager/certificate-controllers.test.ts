// The controllers of certificates and bootstrap tokens, as the program knows them: names, gates and contracts.

import { describe, expect, it } from "vitest";
import type { Access } from "#kit/contract.ts";
import { knownController } from "#kit/known-controllers.ts";
import { registeredControllers } from "./registry.ts";

const accessText = ({ verb, resource, subresource, preconditions }: Access): string =>
  [verb, subresource === "" ? resource : `${resource}/${subresource}`, ...preconditions].join(" ");

describe.each([
  {
    id: "certificatesigningrequest-signing",
    identity: "certificate-controller",
    alias: "csrsigning",
    watches: ["certificatesigningrequests"],
    writes: ["update certificatesigningrequests/status"],
  },
  {
    id: "certificatesigningrequest-approving",
    identity: "certificate-controller",
    alias: "csrapproving",
    watches: ["certificatesigningrequests"],
    writes: ["create subjectaccessreviews", "update certificatesigningrequests/approval"],
  },
  {
    id: "certificatesigningrequest-cleaner",
    identity: "certificate-controller",
    alias: "csrcleaner",
    watches: ["certificatesigningrequests"],
    writes: ["delete certificatesigningrequests"],
  },
  {
    id: "podcertificaterequest-cleaner",
    identity: "podcertificaterequestcleaner",
    gate: "PodCertificateRequest",
    watches: ["podcertificaterequests"],
    writes: ["delete podcertificaterequests uid"],
  },
  {
    id: "kube-apiserver-serving-clustertrustbundle-publisher",
    identity: "kube-apiserver-serving-clustertrustbundle-publisher",
    gate: "ClusterTrustBundle",
    watches: ["clustertrustbundles"],
    writes: ["create clustertrustbundles", "update clustertrustbundles", "delete clustertrustbundles"],
  },
  {
    id: "bootstrap-signer",
    identity: "bootstrap-signer",
    alias: "bootstrapsigner",
    isOffByDefault: true,
    watches: ["configmaps", "secrets"],
    writes: ["update configmaps"],
  },
])("$id", ({ id, identity, alias, gate, isOffByDefault = false, watches, writes }) => {
  const registered = registeredControllers.find(({ name }) => name === `${id}-controller`);

  it(`${id}/about has its alias, its gate and its default`, () => {
    const known = knownController(`${id}-controller` as Parameters<typeof knownController>[0]);
    expect(known.identity).toBe(identity);
    expect(known.aliases).toEqual(alias === undefined ? [] : [alias]);
    expect(known.featureGates).toEqual(gate === undefined ? [] : [gate]);
    expect(known.isOffByDefault ?? false).toBe(isOffByDefault);
  });

  it(`${id}/watches ${id}/writes ${id}/events watches and writes these, and records no events`, () => {
    expect(registered?.contract.watches.map(({ resource }) => resource)).toEqual(watches);
    expect(registered?.contract.writes.map(accessText)).toEqual(writes);
    expect(registered?.contract.reads).toEqual([]);
  });
});
