// The profiles: settings of the manager and the API server, equal on all stages. They are flags, so that the same text
// configures the Go program, ours, and the embedded server.

export type Profile =
  | "default"
  | "quick"
  | "alpha"
  | "few-terminated-pods"
  | "max-unavailable"
  | "numeric-taints"
  | "no-alternatives"
  | "older-jobs"
  | "older-workloads"
  | "scale-to-zero"
  | "idle-tokens"
  | "no-provisioning"
  | "host-paths"
  | "no-reminders"
  | "dual-stack-nodes"
  | "four-ranges"
  | "node-rates"
  | "node-heartbeats"
  | "patient-detach"
  | "small-slices"
  | "batched"
  | "dual-stack";

interface Settings {
  /** Flags of kube-controller-manager. */
  readonly managerFlags: readonly string[];
  /** Flags of a real API server. Scenarios with such a profile play on real control planes only. */
  readonly apiServerFlags?: readonly string[];
  /** Feature gates of both programs. */
  readonly gates: Readonly<Record<string, boolean>>;
  /** Feature gates of the manager alone, as during a cluster upgrade. */
  readonly managerGates?: Readonly<Record<string, boolean>>;
  /** Versions that the API server serves besides the stable ones: "group/version". */
  readonly extraVersions: readonly string[];
}

const alphaGates = [
  "ClusterTrustBundle",
  "PodCertificateRequest",
  "StorageVersionAPI",
  "StorageVersionMigrator",
  "DRAResourcePoolStatus",
  "GenericWorkload",
  "WorkloadWithJob",
  "DRADeviceTaintRules",
  "DRAWorkloadResourceClaims",
  "PersistentVolumeClaimUnusedSinceTime",
];

/** The binder resyncs all volumes every 15 s by default, at a random point of a scenario. */
const withoutReminders = ["--pvclaimbinder-sync-period=4m"];

const quickFlags = [
  "--node-monitor-period=1s",
  "--node-monitor-grace-period=4s",
  "--node-startup-grace-period=4s",
  "--horizontal-pod-autoscaler-sync-period=1s",
  "--horizontal-pod-autoscaler-downscale-stabilization=5s",
  "--horizontal-pod-autoscaler-initial-readiness-delay=2s",
  "--horizontal-pod-autoscaler-cpu-initialization-period=4s",
  "--resource-quota-sync-period=5s",
  "--pvclaimbinder-sync-period=2s",
  "--attach-detach-reconcile-sync-period=2s",
];

export const profiles: Readonly<Record<Profile, Settings>> = {
  default: { managerFlags: [], gates: {}, extraVersions: [] },
  quick: {
    managerFlags: quickFlags,
    gates: {},
    extraVersions: [],
  },
  "idle-tokens": {
    managerFlags: ["--legacy-service-account-token-clean-up-period=1s"],
    gates: {},
    extraVersions: [],
  },
  "no-provisioning": {
    managerFlags: [...withoutReminders, "--enable-dynamic-provisioning=false"],
    gates: {},
    extraVersions: [],
  },
  "host-paths": {
    managerFlags: ["--pvclaimbinder-sync-period=2m", "--enable-hostpath-provisioner=true"],
    gates: {},
    extraVersions: [],
  },
  "no-reminders": { managerFlags: withoutReminders, gates: {}, extraVersions: [] },
  "dual-stack-nodes": {
    managerFlags: [
      "--cluster-cidr=10.244.0.0/16,fd00:10:244::/48",
      "--service-cluster-ip-range=10.0.0.0/24,fd00:10:96::/112",
      "--node-cidr-mask-size-ipv4=26",
    ],
    gates: {},
    extraVersions: [],
  },
  // One of the four ranges is the Services'.
  "four-ranges": {
    managerFlags: [
      "--cluster-cidr=10.244.0.0/26",
      "--node-cidr-mask-size=28",
      "--service-cluster-ip-range=10.244.0.0/28",
    ],
    gates: {},
    extraVersions: [],
  },
  "node-rates": {
    managerFlags: [
      "--node-monitor-period=1s",
      "--node-eviction-rate=0.5",
      "--secondary-node-eviction-rate=0.25",
      "--large-cluster-size-threshold=4",
      "--unhealthy-zone-threshold=0.6",
    ],
    gates: {},
    extraVersions: [],
  },
  "node-heartbeats": {
    managerFlags: [
      "--node-monitor-period=1s",
      "--node-monitor-grace-period=4s",
      "--node-startup-grace-period=5s",
      "--node-eviction-rate=0.5",
    ],
    gates: {},
    extraVersions: [],
  },
  "few-terminated-pods": { managerFlags: ["--terminated-pod-gc-threshold=2"], gates: {}, extraVersions: [] },
  "patient-detach": {
    managerFlags: ["--disable-attach-detach-reconcile-sync=true", "--disable-force-detach-on-timeout=true"],
    gates: {},
    extraVersions: [],
  },
  "scale-to-zero": { managerFlags: quickFlags, gates: { HPAScaleToZero: true }, extraVersions: [] },
  "numeric-taints": { managerFlags: [], gates: { TaintTolerationComparisonOperators: true }, extraVersions: [] },
  "no-alternatives": { managerFlags: [], gates: {}, managerGates: { DRAPrioritizedList: false }, extraVersions: [] },
  "max-unavailable": { managerFlags: [], gates: { MaxUnavailableStatefulSet: true }, extraVersions: [] },
  "older-jobs": {
    managerFlags: [],
    gates: { StaleControllerConsistencyJob: false, MutableSchedulingDirectivesForSuspendedJobs: false },
    extraVersions: [],
  },
  "older-workloads": {
    managerFlags: [],
    gates: {
      StaleControllerConsistencyDaemonSet: false,
      StaleControllerConsistencyStatefulSet: false,
      StatefulSetSemanticRevisionComparison: false,
      DeploymentReplicaSetTerminatingReplicas: false,
    },
    extraVersions: [],
  },
  "small-slices": {
    managerFlags: ["--max-endpoints-per-slice=3", "--mirroring-max-endpoints-per-subset=3"],
    gates: {},
    extraVersions: [],
  },
  "dual-stack": {
    managerFlags: ["--service-cluster-ip-range=10.0.0.0/24,fd00::/112"],
    apiServerFlags: ["--service-cluster-ip-range=10.0.0.0/24,fd00::/112"],
    gates: {},
    extraVersions: [],
  },
  batched: {
    managerFlags: [
      "--endpoint-updates-batch-period=2s",
      "--endpointslice-updates-batch-period=2s",
      "--mirroring-endpointslice-updates-batch-period=2s",
    ],
    gates: {},
    extraVersions: [],
  },
  alpha: {
    managerFlags: [],
    gates: Object.fromEntries(alphaGates.map((gate) => [gate, true])),
    extraVersions: [
      "certificates.k8s.io/v1beta1",
      "resource.k8s.io/v1alpha3",
      "resource.k8s.io/v1beta2",
      "scheduling.k8s.io/v1alpha2",
      "storagemigration.k8s.io/v1beta1",
      "internal.apiserver.k8s.io/v1alpha1",
    ],
  },
};
