import { describe, expect, it } from "vitest";
import { withFiles } from "#base/host.ts";
import { bareHost } from "#base/testing.ts";
import { signingFiles, volumePlugins } from "./controller-files.ts";
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

describe("persistentvolume-binder/config the settings of volume plugins", () => {
  const { PersistentVolumeBinderController: usual } = defaultConfig;
  const { VolumeConfiguration: volumes } = usual;
  const plugins = (recycler: object, files: Record<string, string> = {}) => {
    const PersistentVolumeRecyclerConfiguration = { ...volumes.PersistentVolumeRecyclerConfiguration, ...recycler };
    const VolumeConfiguration = { ...volumes, PersistentVolumeRecyclerConfiguration };
    const config = { ...defaultConfig, PersistentVolumeBinderController: { ...usual, VolumeConfiguration } };
    return volumePlugins({ config, host: withFiles(bareHost, files) });
  };
  const pod = "apiVersion: v1\nkind: Pod\nmetadata: {namespace: cleaners}\nspec: {volumes: [{name: vol}]}\n";

  it("are the times and the pods of the recyclers", () => {
    const { hostPath, nfs, provisionsHostPaths } = plugins({ MinimumTimeoutHostPath: 7, IncrementTimeoutNFS: 8 });
    expect([hostPath.minimumTimeoutSeconds, hostPath.timeoutIncrementSeconds]).toEqual([7, 30]);
    expect([nfs.minimumTimeoutSeconds, nfs.timeoutIncrementSeconds]).toEqual([300, 8]);
    expect(nfs.template.spec?.containers?.[0]?.image).toBe("registry.k8s.io/build-image/debian-base:bookworm-v1.0.6");
    expect(provisionsHostPaths).toBe(false);
  });

  it("read the pods from files", () => {
    const { hostPath, nfs } = plugins({ PodTemplateFilePathNFS: "/nfs.yaml" }, { "/nfs.yaml": pod });
    expect(nfs.template.metadata?.namespace).toBe("cleaners");
    expect(hostPath.template.metadata?.namespace).toBe("default");
  });

  it.each([
    ["", "file was empty: /pod.yaml"],
    ["apiVersion: v1\nkind: Pod\n", "pod specification (/pod.yaml): does not contain any volume(s)"],
    ["apiVersion: v1\nkind: Node\n", "failed decoding file: "],
  ])("are refused with the file %j", (text, problem) => {
    expect(() => plugins({ PodTemplateFilePathHostPath: "/pod.yaml" }, { "/pod.yaml": text })).toThrow(problem);
  });

  it("are refused without the file", () => {
    const problem = "failed to read file path /none: open /none: no such file or directory";
    expect(() => plugins({ PodTemplateFilePathHostPath: "/none" })).toThrow(problem);
  });
});
