import { describe, expect, it } from "vitest";
import { bareHost } from "#base/testing.ts";
import { signingFiles } from "./controller-files.ts";
import { defaultConfig } from "./options/config.ts";

const common = { ClusterSigningCertFile: "/c", ClusterSigningKeyFile: "/k" };
const own = { CertFile: "/own.crt", KeyFile: "/own.key" };
const files = (given: object) =>
  signingFiles({
    config: { ...defaultConfig, CSRSigningController: { ...defaultConfig.CSRSigningController, ...given } },
    host: bareHost,
  });

describe("certificatesigningrequest-signing/flags certificatesigningrequest-signing/about machinery/1.7.r66 machinery/1.7.r67 machinery/1.7.r68 machinery/1.7.r69 machinery/1.7.r70 the files of signers", () => {
  it("are one pair for all", () => {
    const pair = { certFile: "/c", keyFile: "/k" };
    expect(files(common)).toEqual({
      kubeletServing: pair,
      kubeletClient: pair,
      kubeApiServerClient: pair,
      legacyUnknown: pair,
    });
  });

  it.each([
    { part: "KubeletServingSignerConfiguration", signer: "kubeletServing" },
    { part: "KubeletClientSignerConfiguration", signer: "kubeletClient" },
    { part: "KubeAPIServerClientSignerConfiguration", signer: "kubeApiServerClient" },
    { part: "LegacyUnknownSignerConfiguration", signer: "legacyUnknown" },
  ])("are those of $signer alone", ({ part, signer }) => {
    expect(files({ [part]: own })).toEqual({ [signer]: { certFile: "/own.crt", keyFile: "/own.key" } });
    expect(() => files({ ...common, [part]: own })).toThrow(
      "cannot specify default and per controller certs at the same time",
    );
  });

  it("are none without a whole pair", () => {
    expect(files({})).toEqual({});
    expect(files({ ClusterSigningCertFile: "/c" })).toEqual({});
  });
});
