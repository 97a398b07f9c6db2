// The registration of the controllers of certificates and bootstrap tokens: names, gates and contracts.

import { expect, it } from "vitest";
import type { Access } from "#kit/contract.ts";
import { type ControllerName, knownController } from "#kit/known-controllers.ts";
import { registeredControllers } from "./registry.ts";

const accessText = ({ verb, resource, subresource, preconditions }: Access): string =>
  [verb, subresource === "" ? resource : `${resource}/${subresource}`, ...preconditions].join(" ");

/** The controller's description as text: none of them reads past its caches or records events. */
function factsOf(name: ControllerName): readonly string[] {
  const { identity, aliases, featureGates, isOffByDefault = false } = knownController(name);
  const contract = registeredControllers.find((registered) => registered.name === name)?.contract;
  const about = [identity, ...aliases, ...featureGates, ...(isOffByDefault ? ["off by default"] : [])].join(", ");
  return [
    about,
    ...(contract?.watches.map(({ resource }) => `watch ${resource}`) ?? []),
    ...(contract?.reads.map(accessText) ?? []),
    ...(contract?.writes.map(accessText) ?? []),
  ];
}

it("certificatesigningrequest-signing/about certificatesigningrequest-signing/watches certificatesigningrequest-signing/writes certificatesigningrequest-signing/events are these", () => {
  expect(factsOf("certificatesigningrequest-signing-controller")).toEqual([
    "certificate-controller, csrsigning",
    "watch certificatesigningrequests",
    "update certificatesigningrequests/status",
  ]);
});

it("certificatesigningrequest-approving/about certificatesigningrequest-approving/watches certificatesigningrequest-approving/writes certificatesigningrequest-approving/events are these", () => {
  expect(factsOf("certificatesigningrequest-approving-controller")).toEqual([
    "certificate-controller, csrapproving",
    "watch certificatesigningrequests",
    "create subjectaccessreviews",
    "update certificatesigningrequests/approval",
  ]);
});

it("certificatesigningrequest-cleaner/about certificatesigningrequest-cleaner/watches certificatesigningrequest-cleaner/writes certificatesigningrequest-cleaner/events are these", () => {
  expect(factsOf("certificatesigningrequest-cleaner-controller")).toEqual([
    "certificate-controller, csrcleaner",
    "watch certificatesigningrequests",
    "delete certificatesigningrequests",
  ]);
});

it("podcertificaterequest-cleaner/about podcertificaterequest-cleaner/watches podcertificaterequest-cleaner/writes podcertificaterequest-cleaner/events are these", () => {
  expect(factsOf("podcertificaterequest-cleaner-controller")).toEqual([
    "podcertificaterequestcleaner, PodCertificateRequest",
    "watch podcertificaterequests",
    "delete podcertificaterequests uid",
  ]);
});

it("kube-apiserver-serving-clustertrustbundle-publisher/about kube-apiserver-serving-clustertrustbundle-publisher/watches kube-apiserver-serving-clustertrustbundle-publisher/writes kube-apiserver-serving-clustertrustbundle-publisher/events are these", () => {
  expect(factsOf("kube-apiserver-serving-clustertrustbundle-publisher-controller")).toEqual([
    "kube-apiserver-serving-clustertrustbundle-publisher, ClusterTrustBundle",
    "watch clustertrustbundles",
    "create clustertrustbundles",
    "update clustertrustbundles",
    "delete clustertrustbundles",
  ]);
});

it("bootstrap-signer/about bootstrap-signer/watches bootstrap-signer/writes bootstrap-signer/events are these", () => {
  expect(factsOf("bootstrap-signer-controller")).toEqual([
    "bootstrap-signer, bootstrapsigner, off by default",
    "watch configmaps",
    "watch secrets",
    "update configmaps",
  ]);
});
