// Controller options that come from files named by flags. Files are read when a controller is built.
// Upstream: cmd/kube-controller-manager/app/core.go, certificates.go, serviceaccount.go.

import type { Pod } from "#api/generated/types/core-v1.ts";
import type { KubeObject } from "#api/object.ts";
import { decodeYaml } from "#api/yaml.ts";
import { errorMessage } from "#base/errors.ts";
import type { Host, TokenSigner } from "#base/host.ts";
import type { SigningOptions } from "#controllers/certificatesigningrequest-signing/controller.ts";
import type { PluginSettings } from "#controllers/persistentvolume-binder/plugins.ts";
import { defaultRecyclerPod } from "#controllers/persistentvolume-binder/recycler-pod.ts";
import type { ControllerSettings } from "./registry.ts";

/** --root-ca-file, or the CA of the client configuration. */
export function rootCa({ config, host }: ControllerSettings): string {
  const file = config.SAController.RootCAFile;
  if (file === "") return host.apiServerCa;
  return explained(`error parsing root-ca-file at ${file}`, () => {
    const pem = host.files.read(file);
    const problem = host.keys.certificatesProblem(pem);
    if (problem !== undefined) throw new Error(problem);
    return pem;
  });
}

/** Signs with --service-account-private-key-file; undefined without that flag. */
export function tokenSigner({ config, host }: ControllerSettings): TokenSigner | undefined {
  const file = config.SAController.ServiceAccountKeyFile;
  if (file === "") return undefined;
  const key = explained("error reading key for service account token controller", () =>
    host.keys.readPrivateKey(host.files.read(file)),
  );
  return explained("failed to build token generator", () => key.tokenSigner());
}

/** The flags of the volume plugins, with the recycler pods from files. */
export function volumePlugins({ config, host }: ControllerSettings): PluginSettings {
  const { EnableHostPathProvisioning, PersistentVolumeRecyclerConfiguration: recycler } =
    config.PersistentVolumeBinderController.VolumeConfiguration;
  return explained("failed to probe volume plugins when starting persistentvolume controller", () => ({
    hostPath: {
      template: recyclerTemplate(recycler.PodTemplateFilePathHostPath, host),
      minimumTimeoutSeconds: recycler.MinimumTimeoutHostPath,
      timeoutIncrementSeconds: recycler.IncrementTimeoutHostPath,
    },
    nfs: {
      template: recyclerTemplate(recycler.PodTemplateFilePathNFS, host),
      minimumTimeoutSeconds: recycler.MinimumTimeoutNFS,
      timeoutIncrementSeconds: recycler.IncrementTimeoutNFS,
    },
    provisionsHostPaths: EnableHostPathProvisioning,
  }));
}

function recyclerTemplate(file: string, host: Host): Pod {
  if (file === "") return defaultRecyclerPod;
  const text = explained(`failed to read file path ${file}`, () => host.files.read(file));
  if (text === "") throw new Error(`file was empty: ${file}`);
  const pod = explained("failed decoding file", () => decodePod(text));
  if ((pod.spec?.volumes ?? []).length === 0) {
    throw new Error(`pod specification (${file}): does not contain any volume(s)`);
  }
  return pod;
}

function decodePod(text: string): Pod {
  const { value } = decodeYaml(text);
  const { apiVersion, kind } = value as KubeObject;
  if (kind !== "Pod" || apiVersion !== "v1")
    throw new Error(`no kind "${kind ?? ""}" of version "${apiVersion ?? ""}" is a pod`);
  return value as Pod;
}

const specificFiles = {
  kubeletServing: "KubeletServingSignerConfiguration",
  kubeletClient: "KubeletClientSignerConfiguration",
  kubeApiServerClient: "KubeAPIServerClientSignerConfiguration",
  legacyUnknown: "LegacyUnknownSignerConfiguration",
} as const;

/** The pairs of --cluster-signing-*-file: one for all signers, or one for each signer. */
export function signingFiles({ config }: ControllerSettings): SigningOptions["files"] {
  const { ClusterSigningCertFile: certFile, ClusterSigningKeyFile: keyFile } = config.CSRSigningController;
  const specific = Object.entries(specificFiles).flatMap(([signer, part]) => {
    const { CertFile, KeyFile } = config.CSRSigningController[part];
    return CertFile === "" && KeyFile === "" ? [] : [[signer, { certFile: CertFile, keyFile: KeyFile }] as const];
  });
  const hasCommon = certFile !== "" && keyFile !== "";
  if (hasCommon && specific.length > 0) {
    throw new Error("cannot specify default and per controller certs at the same time");
  }
  if (!hasCommon) return Object.fromEntries(specific);
  return Object.fromEntries(Object.keys(specificFiles).map((signer) => [signer, { certFile, keyFile }]));
}

function explained<T>(what: string, step: () => T): T {
  try {
    return step();
  } catch (cause) {
    throw new Error(`${what}: ${errorMessage(cause)}`, { cause });
  }
}
