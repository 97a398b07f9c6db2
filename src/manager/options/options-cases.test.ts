// The cases by which kube-controller-manager tests its options: one long command line and the field that each flag
// sets, refused values, aliases, emulated versions and the gate of streaming lists. Nil options have no counterpart
// here.

import { describe, expect, it } from "vitest";
import { formatDuration, type GoDuration } from "#api/go-duration.ts";
import { type Command, readCommandLine } from "../command.ts";
import { canonicalSelection } from "../controller-selection.ts";
import { validateVersions } from "./component-versions.ts";
import type { Options } from "./options.ts";
import { validateOptions } from "./validate.ts";

function read(...args: readonly string[]): Command {
  const verdict = readCommandLine(args, 0);
  if (verdict.kind !== "run") throw new Error("error" in verdict ? verdict.error : verdict.text);
  return verdict.command;
}
const problems = ({ options, gates, versions }: Command): readonly string[] => [
  ...validateVersions(versions),
  ...validateOptions(options, gates),
];
const at = (options: Options, path: string): unknown =>
  path.split(".").reduce((value, key) => (value as Record<string, unknown>)[key] as object, options as unknown);
const shown = (value: unknown): unknown => (typeof value === "bigint" ? formatDuration(value as GoDuration) : value);

const generic = "config.Generic";
const cloud = "config.KubeCloudShared";
const csr = "config.CSRSigningController";
const hpa = "config.HPAController.HorizontalPodAutoscaler";
const volumes = "config.PersistentVolumeBinderController.VolumeConfiguration";
const recycler = `${volumes}.PersistentVolumeRecyclerConfiguration`;
const lifecycle = "config.NodeLifecycleController";

/** Flag, given text, field, and the field's value if it differs from the text. */
const round: readonly (readonly [string, string, string, unknown?])[] = [
  ["allocate-node-cidrs", "true", `${cloud}.AllocateNodeCIDRs`, true],
  ["attach-detach-reconcile-sync-period", "30s", "config.AttachDetachController.ReconcilerSyncLoopPeriod"],
  ["cidr-allocator-type", "CloudAllocator", `${cloud}.CIDRAllocatorType`],
  ["cloud-config", "/cloud-config", `${cloud}.CloudProvider.CloudConfigFile`],
  ["cloud-provider", "gce", `${cloud}.CloudProvider.Name`],
  ["cluster-cidr", "1.2.3.4/24", `${cloud}.ClusterCIDR`],
  ["cluster-name", "k8s", `${cloud}.ClusterName`],
  ["cluster-signing-cert-file", "/cluster-signing-cert", `${csr}.ClusterSigningCertFile`],
  ["cluster-signing-key-file", "/cluster-signing-key", `${csr}.ClusterSigningKeyFile`],
  ["cluster-signing-kubelet-serving-cert-file", "/a", `${csr}.KubeletServingSignerConfiguration.CertFile`],
  ["cluster-signing-kubelet-serving-key-file", "/b", `${csr}.KubeletServingSignerConfiguration.KeyFile`],
  ["cluster-signing-kubelet-client-cert-file", "/c", `${csr}.KubeletClientSignerConfiguration.CertFile`],
  ["cluster-signing-kubelet-client-key-file", "/d", `${csr}.KubeletClientSignerConfiguration.KeyFile`],
  ["cluster-signing-kube-apiserver-client-cert-file", "/e", `${csr}.KubeAPIServerClientSignerConfiguration.CertFile`],
  ["cluster-signing-kube-apiserver-client-key-file", "/f", `${csr}.KubeAPIServerClientSignerConfiguration.KeyFile`],
  ["cluster-signing-legacy-unknown-cert-file", "/g", `${csr}.LegacyUnknownSignerConfiguration.CertFile`],
  ["cluster-signing-legacy-unknown-key-file", "/h", `${csr}.LegacyUnknownSignerConfiguration.KeyFile`],
  ["cluster-signing-duration", "10h", `${csr}.ClusterSigningDuration`, "10h0m0s"],
  ["concurrent-deployment-syncs", "10", "config.DeploymentController.ConcurrentDeploymentSyncs", 10],
  ["concurrent-device-taint-eviction-syncs", "10", "config.DeviceTaintEvictionController.ConcurrentSyncs", 10],
  ["concurrent-resourceclaim-syncs", "10", "config.ResourceClaimController.ConcurrentSyncs", 10],
  ["concurrent-daemonset-syncs", "10", "config.DaemonSetController.ConcurrentDaemonSetSyncs", 10],
  [
    "concurrent-horizontal-pod-autoscaler-syncs",
    "10",
    "config.HPAController.ConcurrentHorizontalPodAutoscalerSyncs",
    10,
  ],
  ["concurrent-statefulset-syncs", "15", "config.StatefulSetController.ConcurrentStatefulSetSyncs", 15],
  ["concurrent-endpoint-syncs", "10", "config.EndpointController.ConcurrentEndpointSyncs", 10],
  ["concurrent-ephemeralvolume-syncs", "10", "config.EphemeralVolumeController.ConcurrentEphemeralVolumeSyncs", 10],
  ["concurrent-service-endpoint-syncs", "10", "config.EndpointSliceController.ConcurrentServiceEndpointSyncs", 10],
  ["concurrent-gc-syncs", "30", "config.GarbageCollectorController.ConcurrentGCSyncs", 30],
  ["concurrent-namespace-syncs", "20", "config.NamespaceController.ConcurrentNamespaceSyncs", 20],
  ["concurrent-job-syncs", "10", "config.JobController.ConcurrentJobSyncs", 10],
  ["concurrent-cron-job-syncs", "10", "config.CronJobController.ConcurrentCronJobSyncs", 10],
  ["concurrent-replicaset-syncs", "10", "config.ReplicaSetController.ConcurrentRSSyncs", 10],
  ["concurrent-resource-quota-syncs", "10", "config.ResourceQuotaController.ConcurrentResourceQuotaSyncs", 10],
  ["concurrent-service-syncs", "2", "config.ServiceController.ConcurrentServiceSyncs", 2],
  ["concurrent-serviceaccount-token-syncs", "10", "config.SAController.ConcurrentSATokenSyncs", 10],
  ["concurrent_rc_syncs", "10", "config.ReplicationController.ConcurrentRCSyncs", 10],
  ["concurrent-ttl-after-finished-syncs", "8", "config.TTLAfterFinishedController.ConcurrentTTLSyncs", 8],
  [
    "concurrent-validating-admission-policy-status-syncs",
    "9",
    "config.ValidatingAdmissionPolicyStatusController.ConcurrentPolicySyncs",
    9,
  ],
  ["configure-cloud-routes", "false", `${cloud}.ConfigureCloudRoutes`, false],
  ["contention-profiling", "true", `${generic}.Debugging.enableContentionProfiling`, true],
  ["controller-start-interval", "2m", `${generic}.ControllerStartInterval`, "2m0s"],
  ["controllers", "foo,bar", `${generic}.Controllers`, ["foo", "bar"]],
  [
    "disable-attach-detach-reconcile-sync",
    "true",
    "config.AttachDetachController.DisableAttachDetachReconcilerSync",
    true,
  ],
  ["enable-dynamic-provisioning", "false", `${volumes}.EnableDynamicProvisioning`, false],
  ["enable-garbage-collector", "false", "config.GarbageCollectorController.EnableGarbageCollector", false],
  ["enable-hostpath-provisioner", "true", `${volumes}.EnableHostPathProvisioning`, true],
  ["flex-volume-plugin-dir", "/flex-volume-plugin", `${volumes}.FlexVolumePluginDir`],
  ["horizontal-pod-autoscaler-sync-period", "45s", `${hpa}SyncPeriod`],
  ["horizontal-pod-autoscaler-downscale-stabilization", "3m", `${hpa}DownscaleStabilizationWindow`, "3m0s"],
  ["horizontal-pod-autoscaler-cpu-initialization-period", "90s", `${hpa}CPUInitializationPeriod`, "1m30s"],
  ["horizontal-pod-autoscaler-initial-readiness-delay", "50s", `${hpa}InitialReadinessDelay`],
  ["http2-max-streams-per-connection", "47", "secureServing.http2MaxStreams", 47],
  ["kube-api-burst", "100", `${generic}.ClientConnection.burst`, 100],
  ["kube-api-content-type", "application/json", `${generic}.ClientConnection.contentType`],
  ["kube-api-qps", "50.0", `${generic}.ClientConnection.qps`, 50],
  ["kubeconfig", "/kubeconfig", `${generic}.ClientConnection.kubeconfig`],
  ["large-cluster-size-threshold", "100", `${lifecycle}.LargeClusterSizeThreshold`, 100],
  ["leader-elect", "false", `${generic}.LeaderElection.leaderElect`, false],
  ["leader-elect-lease-duration", "30s", `${generic}.LeaderElection.leaseDuration`],
  ["leader-elect-renew-deadline", "15s", `${generic}.LeaderElection.renewDeadline`],
  ["leader-elect-resource-lock", "leases", `${generic}.LeaderElection.resourceLock`],
  ["leader-elect-retry-period", "5s", `${generic}.LeaderElection.retryPeriod`],
  ["legacy-service-account-token-clean-up-period", "8760h", "config.LegacySATokenCleaner.CleanUpPeriod", "8760h0m0s"],
  ["master", "192.168.4.20", "master"],
  ["max-endpoints-per-slice", "200", "config.EndpointSliceController.MaxEndpointsPerSlice", 200],
  ["min-resync-period", "8h", `${generic}.MinResyncPeriod`, "8h0m0s"],
  [
    "mirroring-concurrent-service-endpoint-syncs",
    "2",
    "config.EndpointSliceMirroringController.MirroringConcurrentServiceEndpointSyncs",
    2,
  ],
  [
    "mirroring-max-endpoints-per-subset",
    "1000",
    "config.EndpointSliceMirroringController.MirroringMaxEndpointsPerSubset",
    1000,
  ],
  ["namespace-sync-period", "10m", "config.NamespaceController.NamespaceSyncPeriod", "10m0s"],
  ["node-cidr-mask-size", "48", "config.NodeIPAMController.NodeCIDRMaskSize", 48],
  ["node-cidr-mask-size-ipv4", "48", "config.NodeIPAMController.NodeCIDRMaskSizeIPv4", 48],
  ["node-cidr-mask-size-ipv6", "108", "config.NodeIPAMController.NodeCIDRMaskSizeIPv6", 108],
  ["node-eviction-rate", "0.2", `${lifecycle}.NodeEvictionRate`, Math.fround(0.2)],
  ["node-monitor-grace-period", "30s", `${lifecycle}.NodeMonitorGracePeriod`],
  ["node-monitor-period", "10s", `${cloud}.NodeMonitorPeriod`],
  ["node-startup-grace-period", "30s", `${lifecycle}.NodeStartupGracePeriod`],
  ["profiling", "false", `${generic}.Debugging.enableProfiling`, false],
  ["pv-recycler-increment-timeout-nfs", "45", `${recycler}.IncrementTimeoutNFS`, 45],
  ["pv-recycler-minimum-timeout-hostpath", "45", `${recycler}.MinimumTimeoutHostPath`, 45],
  ["pv-recycler-minimum-timeout-nfs", "200", `${recycler}.MinimumTimeoutNFS`, 200],
  ["pv-recycler-timeout-increment-hostpath", "45", `${recycler}.IncrementTimeoutHostPath`, 45],
  ["pvclaimbinder-sync-period", "30s", "config.PersistentVolumeBinderController.PVClaimBinderSyncPeriod"],
  ["resource-quota-sync-period", "10m", "config.ResourceQuotaController.ResourceQuotaSyncPeriod", "10m0s"],
  ["route-reconciliation-period", "30s", `${cloud}.RouteReconciliationPeriod`],
  ["secondary-node-eviction-rate", "0.05", `${lifecycle}.SecondaryNodeEvictionRate`, Math.fround(0.05)],
  ["service-account-private-key-file", "/service-account-private-key", "config.SAController.ServiceAccountKeyFile"],
  ["terminated-pod-gc-threshold", "12000", "config.PodGCController.TerminatedPodGCThreshold", 12000],
  ["unhealthy-zone-threshold", "0.6", `${lifecycle}.UnhealthyZoneThreshold`, Math.fround(0.6)],
  ["use-service-account-credentials", "true", `${cloud}.UseServiceAccountCredentials`, true],
  ["cert-dir", "/a/b/c", "secureServing.certDirectory"],
  ["bind-address", "192.168.4.21", "secureServing.bindAddress"],
  ["secure-port", "10001", "secureServing.port", 10001],
];

describe("machinery/8.r2 one long command line", () => {
  const { options } = read(...round.map(([flag, given]) => `--${flag}=${given}`));
  const rows = round.map(([flag, given, path, value = given]) => ({ flag, given, path, value }));
  it.each(rows)("--$flag=$given sets $path", ({ path, value }) => {
    expect(shown(at(options, path))).toEqual(value);
  });

  it("leaves all that it does not name as it was", () => {
    const plain = read().options;
    for (const path of [
      `${generic}.LeaderElection.resourceName`,
      `${generic}.LeaderElection.resourceNamespace`,
      `${recycler}.MaximumRetry`,
      "config.GarbageCollectorController.GCIgnoredResources",
      "authentication",
      "authorization",
      "shutdownTimeout",
      "logs",
      "metrics",
    ]) {
      expect(at(options, path)).toEqual(at(plain, path));
    }
    expect([options.authorization.alwaysAllowPaths, shown(options.shutdownTimeout)]).toEqual([
      ["/healthz", "/readyz", "/livez"],
      "10s",
    ]);
  });
});

describe("machinery/8.r2 what is refused", () => {
  const signers = ["kubelet-serving", "kubelet-client", "kube-apiserver-client", "legacy-unknown"];
  const signing = (left: string): string[] =>
    signers.flatMap((signer) => ["cert", "key"].map((part) => `${signer}-${part}`)).filter((file) => file !== left);
  it.each<{ flags: readonly string[]; problem?: string }>([
    { flags: ["attach-detach-reconcile-sync-period=500ms"], problem: "duration time must be greater than one second" },
    ...signers.flatMap((signer) => [
      {
        flags: signing(`${signer}-cert`).map((file) => `cluster-signing-${file}-file=/x`),
        problem: "cannot specify key without cert",
      },
      {
        flags: signing(`${signer}-key`).map((file) => `cluster-signing-${file}-file=/x`),
        problem: "cannot specify cert without key",
      },
    ]),
    {
      flags: [
        "cluster-signing-cert-file=/a",
        "cluster-signing-key-file=/b",
        "cluster-signing-kubelet-serving-cert-file=/c",
      ],
      problem:
        "cannot specify --cluster-signing-{cert,key}-file and other --cluster-signing-*-file flags at the same time",
    },
    {
      flags: ["concurrent-service-endpoint-syncs=0"],
      problem: "concurrent-service-endpoint-syncs must not be less than 1",
    },
    {
      flags: ["concurrent-service-endpoint-syncs=51"],
      problem: "concurrent-service-endpoint-syncs must not be more than 50",
    },
    { flags: ["max-endpoints-per-slice=0"], problem: "max-endpoints-per-slice must not be less than 1" },
    { flags: ["max-endpoints-per-slice=1001"], problem: "max-endpoints-per-slice must not be more than 1000" },
    {
      flags: ["mirroring-concurrent-service-endpoint-syncs=0"],
      problem: "mirroring-concurrent-service-endpoint-syncs must not be less than 1",
    },
    {
      flags: ["mirroring-concurrent-service-endpoint-syncs=51"],
      problem: "mirroring-concurrent-service-endpoint-syncs must not be more than 50",
    },
    {
      flags: ["mirroring-max-endpoints-per-subset=0"],
      problem: "mirroring-max-endpoints-per-subset must not be less than 1",
    },
    {
      flags: ["mirroring-max-endpoints-per-subset=1001"],
      problem: "mirroring-max-endpoints-per-subset must not be more than 1000",
    },
    {
      flags: ["concurrent-ephemeralvolume-syncs=0"],
      problem: "concurrent-ephemeralvolume-syncs must be greater than 0",
    },
    {
      flags: ["concurrent-horizontal-pod-autoscaler-syncs=0"],
      problem: "concurrent-horizontal-pod-autoscaler-syncs must be greater than 0",
    },
    {
      flags: ["service-cluster-ip-range=10.0.0.0/16,244.0.0.0/16,3000::/108"],
      problem: "--service-cluster-ip-range can not contain more than two entries",
    },
    { flags: ["concurrent-statefulset-syncs=0"], problem: "concurrent-statefulset-syncs must be greater than 0" },
    { flags: ["concurrent-job-syncs=0"], problem: "concurrent-job-syncs must be greater than 0" },
    { flags: ["concurrent-cron-job-syncs=0"], problem: "concurrent-cron-job-syncs must be greater than 0" },
    { flags: ["concurrent-daemonset-syncs=0"], problem: "concurrent-daemonset-syncs must be greater than 0" },
    {
      flags: ["concurrent-device-taint-eviction-syncs=0"],
      problem: "concurrent-device-taint-eviction-syncs must be greater than zero, got 0",
    },
    {
      flags: ["concurrent-device-taint-eviction-syncs=-5"],
      problem: "concurrent-device-taint-eviction-syncs must be greater than zero, got -5",
    },
    { flags: ["cloud-provider=gce"], problem: "cloud-provider" },
    { flags: ["cidr-allocator-type=CloudAllocator"], problem: "CloudAllocator" },
    { flags: ["cidr-allocator-type=IPAMFromCloud"], problem: "IPAMFromCloud" },
    { flags: ["leader-elect-resource-lock=configmapsleases"], problem: 'resourceLock value must be "leases"' },
    { flags: [] },
    { flags: ["cloud-provider="] },
    { flags: ["cloud-provider=external"] },
    { flags: ["cidr-allocator-type=RangeAllocator"] },
    { flags: ["concurrent-device-taint-eviction-syncs=1"] },
    { flags: ["concurrent-device-taint-eviction-syncs=50", "concurrent-cron-job-syncs=10", "concurrent-job-syncs=10"] },
    { flags: ["concurrent-daemonset-syncs=2", "concurrent-deployment-syncs=10", "concurrent-resourceclaim-syncs=10"] },
    { flags: ["concurrent-gc-syncs=30", "enable-garbage-collector=false", "concurrent-endpoint-syncs=10"] },
    { flags: ["namespace-sync-period=10m", "concurrent-namespace-syncs=20", "terminated-pod-gc-threshold=12000"] },
    { flags: ["node-eviction-rate=0.2", "unhealthy-zone-threshold=0.6", "large-cluster-size-threshold=100"] },
    { flags: ["concurrent-replicaset-syncs=10", "concurrent_rc_syncs=10", "concurrent-resource-quota-syncs=10"] },
    { flags: ["concurrent-serviceaccount-token-syncs=10", "legacy-service-account-token-clean-up-period=8760h"] },
  ])("machinery/1.6 $flags: $problem", ({ flags, problem }) => {
    const found = problems(read(...flags.map((flag) => `--${flag}`)));
    if (problem === undefined) expect(found).toEqual([]);
    else expect(found.some((text) => text.includes(problem))).toBe(true);
  });

  it("machinery/1.5.1 aliases become names", () => {
    const { options } = read("--controllers=deployment,-job,-cronjob-controller,podgc,token-cleaner-controller");
    expect(canonicalSelection(options.config.Generic.Controllers)).toEqual([
      "deployment-controller",
      "-job-controller",
      "-cronjob-controller",
      "pod-garbage-collector-controller",
      "token-cleaner-controller",
    ]);
  });
});

describe("machinery/8.r2 versions and gates", () => {
  it("are refused out of range, and a locked gate cannot be moved", () => {
    expect(problems(read("--emulated-version=1.28")).join()).toContain("emulation version 1.28 is not between");
    expect(() => read("--feature-gates=InOrderInformers=false")).toThrow(
      "cannot set feature gate InOrderInformers to false, feature is locked to true",
    );
  });

  it("have the defaults of the version that is emulated, and may be set there", () => {
    const gate = "StaleControllerConsistencyReplicaSet";
    expect([read().gates.isEnabled(gate), read("--emulated-version=1.35").gates.has(gate)]).toEqual([true, true]);
    expect(
      read("--emulated-version=1.35", "--feature-gates=WatchListClient=false").gates.isEnabled("WatchListClient"),
    ).toBe(false);
  });

  it("machinery/5.1.r1 streaming lists are on in this program, and the flag decides", () => {
    expect(read().gates.isEnabled("WatchListClient")).toBe(true);
    expect(read("--feature-gates=WatchListClient=false").gates.isEnabled("WatchListClient")).toBe(false);
    expect(read("--feature-gates=WatchListClient=true").gates.isEnabled("WatchListClient")).toBe(true);
  });
});
