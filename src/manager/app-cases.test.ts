// The cases by which upstream tests cmd/kube-controller-manager/app: names, aliases behind gates, the files of signers
// and the volume plugins. run-controllers.test.ts tests how controllers start and stop.

import { describe, expect, it } from "vitest";
import { featureGateTable } from "#api/feature-gate-table.ts";
import { FeatureGates } from "#base/feature-gates.ts";
import { bareHost } from "#base/testing.ts";
import { isAttachablePlugin } from "#families/volumes/volume-spec.ts";
import { knownControllers } from "#kit/known-controllers.ts";
import { signingFiles } from "./controller-files.ts";
import { defaultConfig } from "./options/config.ts";

describe("machinery/8.r1 the names of controllers", () => {
  it("are words of small letters and end with -controller", () => {
    for (const { name } of knownControllers) expect(name).toMatch(/^[a-z]([-a-z]*[a-z])?-controller$/);
  });

  it("have no alias as long as all their gates are alpha, but for the oldest such controller", () => {
    const gates = new FeatureGates(featureGateTable(), "1.36");
    const isAlpha = (gate: string): boolean => gates.stage(gate)?.preRelease === "ALPHA";
    const aliased = knownControllers.filter(
      ({ aliases, featureGates }) => aliases.length > 0 && featureGates.length > 0 && featureGates.every(isAlpha),
    );
    expect(aliased.map(({ name }) => name).filter((name) => name !== "resourceclaim-controller")).toEqual([]);
  });
});

describe("machinery/8.r1 the files of signers", () => {
  const pair = (word: string): object => ({ CertFile: `/${word}/cert-file`, KeyFile: `/${word}/key-file` });
  const files = (given: object): ReturnType<typeof signingFiles> =>
    signingFiles({
      config: { ...defaultConfig, CSRSigningController: { ...defaultConfig.CSRSigningController, ...given } },
      host: bareHost,
    });
  const read = (word: string): object => ({ certFile: `/${word}/cert-file`, keyFile: `/${word}/key-file` });
  const kubelets = {
    KubeletServingSignerConfiguration: pair("serving"),
    KubeletClientSignerConfiguration: pair("client"),
  };
  const others = {
    KubeAPIServerClientSignerConfiguration: pair("apiserver-client"),
    LegacyUnknownSignerConfiguration: pair("legacy"),
  };
  const ofKubelets = { kubeletServing: read("serving"), kubeletClient: read("client") };
  const ofOthers = { kubeApiServerClient: read("apiserver-client"), legacyUnknown: read("legacy") };

  it.each([
    { what: "each", given: { ...kubelets, ...others }, wanted: { ...ofKubelets, ...ofOthers } },
    { what: "kubelets alone", given: kubelets, wanted: ofKubelets },
    { what: "the others alone", given: others, wanted: ofOthers },
  ])("are those given for $what", ({ given, wanted }) => {
    expect(files(given)).toEqual(wanted);
  });
});

it("machinery/8.r1 three volume plugins attach", () => {
  const known = ["csi", "fc", "iscsi", "host-path", "nfs", "flexvolume"].map((name) => `kubernetes.io/${name}`);
  expect(known.filter(isAttachablePlugin)).toEqual(["kubernetes.io/csi", "kubernetes.io/fc", "kubernetes.io/iscsi"]);
});
