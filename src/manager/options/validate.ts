// All problems of the options at once, in upstream's order and words.
// Upstream: cmd/kube-controller-manager/app/options/*.go, Validate; k8s.io/controller-manager/options.

import { SECOND } from "#api/go-duration.ts";
import { goQuote } from "#api/go-text.ts";
import type { FeatureGates } from "#base/feature-gates.ts";
import { controllerAliases, knownControllerNames } from "#kit/known-controllers.ts";
import type { ComponentConfig, SignerFiles } from "./config.ts";
import { type Manifest, validateMetrics } from "./metrics-options.ts";
import type { Options } from "./options.ts";

const UID_GATE = "RemoteRequestHeaderUID";

export function validateOptions(options: Options, gates: FeatureGates, metricsManifest?: Manifest): readonly string[] {
  const { config } = options;
  return [
    ...validateGeneric(config),
    ...validateControllers(config),
    ...validateServing(options, gates),
    ...validateMetrics(options.metrics, metricsManifest),
    ...validateCloud(config),
  ];
}

function validateGeneric({ Generic }: ComponentConfig): string[] {
  const problems: string[] = [];
  const { leaderElect, resourceLock } = Generic.LeaderElection;
  if (leaderElect && resourceLock !== "leases") problems.push('resourceLock value must be "leases"');
  return [...problems, ...selectionProblems(Generic.Controllers)];
}

/** The names in --controllers that are not controllers. */
export function selectionProblems(words: readonly string[]): string[] {
  const names = words.filter((word) => word !== "*").map((word) => (word.startsWith("-") ? word.slice(1) : word));
  return names
    .filter((name) => !knownControllerNames.includes(controllerAliases.get(name) ?? name))
    .map((name) => `${goQuote(name)} is not in the list of known controllers`);
}

function validateControllers(config: ComponentConfig): string[] {
  const problems: string[] = [];
  const positive = (flag: string, value: number): void => {
    if (value < 1) problems.push(`${flag} must be greater than 0, but got ${value}`);
  };
  const between = (flag: string, value: number, low: number, high: number): void => {
    if (value < low) problems.push(`${flag} must not be less than ${low}, but got ${value}`);
    else if (value > high) problems.push(`${flag} must not be more than ${high}, but got ${value}`);
  };

  if (config.AttachDetachController.ReconcilerSyncLoopPeriod < SECOND) {
    problems.push(
      "duration time must be greater than one second as set via command line option reconcile-sync-loop-period",
    );
  }
  problems.push(...validateSigners(config.CSRSigningController));
  positive("concurrent-daemonset-syncs", config.DaemonSetController.ConcurrentDaemonSetSyncs);
  const deviceTaintSyncs = config.DeviceTaintEvictionController.ConcurrentSyncs;
  if (deviceTaintSyncs <= 0) {
    problems.push(`concurrent-device-taint-eviction-syncs must be greater than zero, got ${deviceTaintSyncs}`);
  }
  const claimSyncs = config.ResourceClaimController.ConcurrentSyncs;
  if (claimSyncs <= 0) problems.push(`concurrent-resourceclaim-syncs must be larger than 0, got ${claimSyncs}`);
  positive("concurrent-statefulset-syncs", config.StatefulSetController.ConcurrentStatefulSetSyncs);
  const slices = config.EndpointSliceController;
  between("concurrent-service-endpoint-syncs", slices.ConcurrentServiceEndpointSyncs, 1, 50);
  between("max-endpoints-per-slice", slices.MaxEndpointsPerSlice, 1, 1000);
  const mirroring = config.EndpointSliceMirroringController;
  between("mirroring-concurrent-service-endpoint-syncs", mirroring.MirroringConcurrentServiceEndpointSyncs, 1, 50);
  between("mirroring-max-endpoints-per-subset", mirroring.MirroringMaxEndpointsPerSubset, 1, 1000);
  positive("concurrent-ephemeralvolume-syncs", config.EphemeralVolumeController.ConcurrentEphemeralVolumeSyncs);
  positive("concurrent-horizontal-pod-autoscaler-syncs", config.HPAController.ConcurrentHorizontalPodAutoscalerSyncs);
  positive("concurrent-job-syncs", config.JobController.ConcurrentJobSyncs);
  positive("concurrent-cron-job-syncs", config.CronJobController.ConcurrentCronJobSyncs);
  if (config.NodeIPAMController.ServiceCIDR.split(",").length > 2) {
    problems.push("--service-cluster-ip-range can not contain more than two entries");
  }
  return problems;
}

function validateSigners(config: ComponentConfig["CSRSigningController"]): string[] {
  const problems: string[] = [];
  // The second and third labels are not the flags' names. Upstream prints them in this way, and operators grep for
  // them.
  const signers: readonly (readonly [string, SignerFiles])[] = [
    ["cluster-signing-kubelet-serving", config.KubeletServingSignerConfiguration],
    ["cluster-signing-kube-apiserver-client", config.KubeletClientSignerConfiguration],
    ["cluster-signing-kube-apiserver", config.KubeAPIServerClientSignerConfiguration],
    ["cluster-signing-legacy-unknown", config.LegacyUnknownSignerConfiguration],
  ];
  for (const [label, { CertFile, KeyFile }] of signers) {
    if (CertFile !== "" && KeyFile === "") problems.push(`${goQuote(label)}: cannot specify cert without key`);
    if (CertFile === "" && KeyFile !== "") problems.push(`${goQuote(label)}: cannot specify key without cert`);
  }
  const hasGeneral = config.ClusterSigningCertFile !== "" || config.ClusterSigningKeyFile !== "";
  const hasSpecific = signers.some(([, { CertFile, KeyFile }]) => CertFile !== "" || KeyFile !== "");
  if (hasGeneral && hasSpecific) {
    problems.push(
      "cannot specify --cluster-signing-{cert,key}-file and other --cluster-signing-*-file flags at the same time",
    );
  }
  return problems;
}

function validateServing({ secureServing, authentication }: Options, gates: FeatureGates): string[] {
  const problems: string[] = [];
  const { port } = secureServing;
  // Because of the precedence of && over
  // upstream reports a port above the range with the message for a required port.
  if (port > 65535) {
    problems.push(`--secure-port ${port} must be between 1 and 65535, inclusive. It cannot be turned off with 0`);
  } else if (port < 0) {
    problems.push(`--secure-port ${port} must be between 0 and 65535, inclusive. 0 for turning off secure port`);
  }
  const { requestHeader } = authentication;
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ["requestheader-username-headers", requestHeader.usernameHeaders],
    ["requestheader-group-headers", requestHeader.groupHeaders],
    ["requestheader-extra-headers-prefix", requestHeader.extraHeaderPrefixes],
    ["requestheader-allowed-names", requestHeader.allowedNames],
    ...(gates.isEnabled(UID_GATE) ? [["requestheader-uid-headers", requestHeader.uidHeaders] as const] : []),
  ];
  for (const [flag, values] of lists) {
    if (values.some((value) => value.trim() === "")) problems.push(`empty value in ${goQuote(flag)}`);
  }
  const { uidHeaders } = requestHeader;
  if (uidHeaders.length > 0 && !gates.isEnabled(UID_GATE)) {
    problems.push(`--requestheader-uid-headers requires the ${goQuote(UID_GATE)} feature to be enabled`);
  } else if (uidHeaders.length > 0 && !uidHeaders.some((header) => header.toLowerCase() === "x-remote-uid")) {
    problems.push(
      "--requestheader-uid-headers is set without specifying the standard X-Remote-Uid header - API aggregation will not work",
    );
  }
  return problems;
}

function validateCloud({ KubeCloudShared }: ComponentConfig): string[] {
  const problems: string[] = [];
  const provider = disabledProvider(KubeCloudShared);
  if (provider !== undefined) {
    problems.push(
      `cloud provider ${goQuote(provider)} was specified, but built-in cloud providers are disabled. Please set --cloud-provider=external and migrate to an external cloud provider`,
    );
  }
  const allocator = KubeCloudShared.CIDRAllocatorType;
  if (allocator !== "" && allocator !== "RangeAllocator") {
    problems.push(`built-in cloud providers are disabled. The ipam ${allocator} is not available`);
  }
  return problems;
}

/** A cloud that needs an external cloud controller manager. */
function disabledProvider({ CloudProvider: { Name } }: ComponentConfig["KubeCloudShared"]): string | undefined {
  return Name === "" || Name === "external" ? undefined : Name;
}

/**
 * The advice beside the error about such a cloud: one line as information, one as a warning.
 * Upstream: k8s.io/cloud-provider/plugins.go, DisableWarningForProvider.
 */
export function cloudAdvice({ config }: Options): { readonly info: string; readonly warning: string } | undefined {
  const provider = disabledProvider(config.KubeCloudShared);
  if (provider === undefined) return undefined;
  const name = goQuote(provider);
  const example = "https://github.com/kubernetes/kubernetes/tree/master/staging/src/k8s.io/cloud-provider/sample";
  return {
    info: `INFO: Please make sure you are running an external cloud controller manager binary for provider ${name}.In-tree cloud providers are disabled. Refer to ${example} for an example implementation.`,
    warning: `WARNING: built-in cloud providers are disabled. Please set "--cloud-provider=external" and migrate to an external cloud controller manager for provider ${name}`,
  };
}

/** Warnings about valid options: headers that aggregated API servers do not send. */
export function servingWarnings({ authentication: { requestHeader } }: Options): readonly string[] {
  const expected: readonly (readonly [string, readonly string[], string])[] = [
    ["username-headers", requestHeader.usernameHeaders, "X-Remote-User header"],
    ["group-headers", requestHeader.groupHeaders, "X-Remote-Group header"],
    ["extra-headers-prefix", requestHeader.extraHeaderPrefixes, "X-Remote-Extra- header prefix"],
  ];
  return expected
    .filter(([, names, what]) => {
      const [standard = ""] = what.toLowerCase().split(" ");
      return names.length > 0 && !names.some((name) => name.toLowerCase() === standard);
    })
    .map(
      ([flag, , what]) =>
        `--requestheader-${flag} is set without specifying the standard ${what} - API aggregation will not work`,
    );
}
