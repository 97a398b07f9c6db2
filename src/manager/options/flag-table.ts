// Every flag of kube-controller-manager: section, name, type, the field of Options it sets, and help.
// Names, types, defaults, sections and their order are upstream's; the sentences are ours.
// Upstream: cmd/kube-controller-manager/app/options.

import { assert } from "#base/assert.ts";
import { type FlagDefinition, type FlagSection, flag } from "../flags/flag-set.ts";
import {
  bool,
  duration,
  type FlagType,
  float32,
  float64,
  int,
  int32,
  int32List,
  ip,
  level,
  moduleLevels,
  multimap,
  namedCertKeys,
  quantity,
  string,
  stringMap,
  strings,
} from "../flags/flag-types.ts";
import { defaultOptions, type Options } from "./options.ts";
import { versionFlag } from "./version-flag.ts";

/** A flag and where its value goes: a dotted path into Options. */
export interface BoundFlag extends FlagDefinition {
  readonly path: string;
}

type More = Pick<FlagDefinition, "shorthand" | "deprecated" | "isHidden">;

/** The default is what defaultOptions has at the path, so it is written down once. */
function at<V>(name: string, type: FlagType<V>, path: string, help: string, more: More = {}): BoundFlag {
  return { ...flag(name, type, readPath(defaultOptions, path) as V, help, more), path };
}

export function readPath(options: Options, path: string): unknown {
  let value: unknown = options;
  for (const key of path.split(".")) {
    assert(typeof value === "object" && value !== null && Object.hasOwn(value, key), `no option at ${path}`);
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** What depends on the set of controllers and gates known to the program. */
export interface FlagFacts {
  readonly knownControllers: readonly string[];
  readonly disabledByDefault: readonly string[];
  /** One line per gate: "Name=true|false (BETA - default=true)". */
  readonly featureGateLines: readonly string[];
}

const workers = (what: string): string => `How many ${what} are synced at the same time.`;

export function flagTable(facts: FlagFacts): readonly (FlagSection & { readonly flags: readonly BoundFlag[] })[] {
  return [
    { name: "debugging", flags: debugging },
    { name: "leader-migration", flags: leaderMigration },
    { name: "generic", flags: generic(facts) },
    {
      name: "service-lb-controller",
      flags: [
        at(
          "concurrent-service-syncs",
          int32,
          "config.ServiceController.ConcurrentServiceSyncs",
          `${workers("services")} Only a cloud provider's loop uses it.`,
        ),
      ],
    },
    { name: "secure serving", flags: secureServing },
    { name: "authentication", flags: authentication },
    { name: "authorization", flags: authorization },
    ...controllerSections,
    { name: "metrics", flags: metrics },
    { name: "logs", flags: logs },
    {
      name: "misc",
      flags: [
        at("master", string, "master", "Address of the API server. Overrides the one in the kubeconfig."),
        at(
          "kubeconfig",
          string,
          "config.Generic.ClientConnection.kubeconfig",
          "Kubeconfig file with the API server's address and our credentials. Without it and --master the in-cluster configuration is used.",
        ),
      ],
    },
    {
      name: "global",
      flags: [
        at("help", bool, "help", "Show this help.", { shorthand: "h" }),
        at(
          "version",
          versionFlag,
          "version",
          "Print the version and exit; =raw prints all of it; =vX.Y.Z-suffix reports that version instead.",
        ),
      ],
    },
  ];
}

const debugging: readonly BoundFlag[] = [
  at(
    "profiling",
    bool,
    "config.Generic.Debugging.enableProfiling",
    "Serve /debug/flags. The Go profiles below /debug/pprof do not exist in this program and answer 501.",
  ),
  at(
    "contention-profiling",
    bool,
    "config.Generic.Debugging.enableContentionProfiling",
    "Accepted for compatibility. Lock contention does not occur in this program.",
  ),
];

const leaderMigration: readonly BoundFlag[] = [
  at(
    "enable-leader-migration",
    bool,
    "config.Generic.LeaderMigrationEnabled",
    "Run migrated controllers under a second lock, so that they can move between managers without a gap.",
  ),
  at(
    "leader-migration-config",
    string,
    "leaderMigrationConfigFile",
    "File with a LeaderMigrationConfiguration (controllermanager.config.k8s.io). Empty: the built-in one.",
  ),
];

function generic(facts: FlagFacts): readonly BoundFlag[] {
  const versions = (preset: string): string =>
    `Options are: kube=1.33..1.36(default:${preset})\nWithout a component, kube is meant.`;
  return [
    at(
      "min-resync-period",
      duration,
      "config.Generic.MinResyncPeriod",
      "Informers resync after a random time between this and twice this.",
    ),
    at(
      "kube-api-content-type",
      string,
      "config.Generic.ClientConnection.contentType",
      "Content type of requests to the API server. Built-in kinds travel as protobuf only if this is given.",
    ),
    at(
      "kube-api-qps",
      float32,
      "config.Generic.ClientConnection.qps",
      "Sustained requests per second of each client to the API server.",
    ),
    at(
      "kube-api-burst",
      int32,
      "config.Generic.ClientConnection.burst",
      "Requests that a client may send at once before --kube-api-qps limits it.",
    ),
    at(
      "controller-start-interval",
      duration,
      "config.Generic.ControllerStartInterval",
      "Each controller waits a random time between this and twice this before it starts.",
    ),
    at(
      "controllers",
      strings,
      "config.Generic.Controllers",
      "Controllers to run: '*' means all that are on by default, 'name' adds one, '-name' removes one.\n" +
        `All controllers: ${facts.knownControllers.join(", ")}\n` +
        `Disabled-by-default controllers: ${facts.disabledByDefault.join(", ")}`,
    ),
    at(
      "leader-elect",
      bool,
      "config.Generic.LeaderElection.leaderElect",
      "Wait for leadership before running the controllers, so that replicas can stand by.",
    ),
    at(
      "leader-elect-lease-duration",
      duration,
      "config.Generic.LeaderElection.leaseDuration",
      "How long others wait after the last renewal they saw before they take the lease.",
    ),
    at(
      "leader-elect-renew-deadline",
      duration,
      "config.Generic.LeaderElection.renewDeadline",
      "How long the leader tries to renew before it gives up. Must be below the lease duration.",
    ),
    at(
      "leader-elect-resource-lock",
      string,
      "config.Generic.LeaderElection.resourceLock",
      "Kind of lock; only 'leases' is supported.",
    ),
    at("leader-elect-resource-name", string, "config.Generic.LeaderElection.resourceName", "Name of the Lease."),
    at(
      "leader-elect-resource-namespace",
      string,
      "config.Generic.LeaderElection.resourceNamespace",
      "Namespace of the Lease.",
    ),
    at(
      "leader-elect-retry-period",
      duration,
      "config.Generic.LeaderElection.retryPeriod",
      "Wait between two tries to take or renew the lease.",
    ),
    at(
      "cloud-provider",
      string,
      "config.KubeCloudShared.CloudProvider.Name",
      "Empty, or 'external' when a cloud controller manager runs beside this one.",
    ),
    at(
      "cloud-config",
      string,
      "config.KubeCloudShared.CloudProvider.CloudConfigFile",
      "Configuration file of the cloud provider.",
    ),
    at(
      "external-cloud-volume-plugin",
      string,
      "config.KubeCloudShared.ExternalCloudVolumePlugin",
      "In-tree volume plugin to use when --cloud-provider=external.",
    ),
    at(
      "use-service-account-credentials",
      bool,
      "config.KubeCloudShared.UseServiceAccountCredentials",
      "Give each controller the credentials of its own service account.",
    ),
    at("allow-untagged-cloud", bool, "config.KubeCloudShared.AllowUntaggedCloud", "Has no effect.", {
      isHidden: true,
      deprecated:
        "This flag is deprecated and will be removed in a future release. A cluster-id will be required on cloud instances.",
    }),
    at(
      "route-reconciliation-period",
      duration,
      "config.KubeCloudShared.RouteReconciliationPeriod",
      "Period of the cloud route loop.",
    ),
    at(
      "node-monitor-period",
      duration,
      "config.KubeCloudShared.NodeMonitorPeriod",
      "How often node-lifecycle-controller looks at the nodes.",
    ),
    at("cluster-name", string, "config.KubeCloudShared.ClusterName", "Prefix of the cluster's cloud resources."),
    at(
      "cluster-cidr",
      string,
      "config.KubeCloudShared.ClusterCIDR",
      "Pod address ranges. Used with --allocate-node-cidrs.",
    ),
    at(
      "allocate-node-cidrs",
      bool,
      "config.KubeCloudShared.AllocateNodeCIDRs",
      "Give each node a pod address range out of --cluster-cidr.",
    ),
    at(
      "cidr-allocator-type",
      string,
      "config.KubeCloudShared.CIDRAllocatorType",
      "Kind of address range allocator; only RangeAllocator is supported.",
    ),
    at(
      "configure-cloud-routes",
      bool,
      "config.KubeCloudShared.ConfigureCloudRoutes",
      "Let the cloud provider route the nodes' pod address ranges.",
    ),
    at("node-sync-period", duration, "config.KubeCloudShared.NodeSyncPeriod", "Has no effect.", {
      isHidden: true,
      deprecated: "This flag is currently no-op and will be deleted.",
    }),
    at(
      "controller-shutdown-timeout",
      duration,
      "shutdownTimeout",
      "How long to wait for the controllers to stop before the program exits; 0 waits for ever.",
    ),
    at(
      "emulated-version",
      strings,
      "emulatedVersions",
      `Behave as this version: kube=major.minor.\n${versions("1.36")}`,
    ),
    at(
      "min-compatibility-version",
      strings,
      "minCompatibilityVersions",
      `Oldest control plane to stay compatible with: kube=major.minor, at most the emulated version.\n${versions("1.35")}`,
    ),
    at(
      "feature-gates",
      multimap,
      "featureGates",
      `Comma-separated [kube:]Gate=true|false, repeatable. Options are:\n${facts.featureGateLines.map((line) => `kube:${line}`).join("\n")}`,
    ),
  ];
}

const secureServing: readonly BoundFlag[] = [
  at(
    "bind-address",
    ip,
    "secureServing.bindAddress",
    "Address to serve HTTPS on. An unspecified one means all interfaces, IPv4 and IPv6.",
  ),
  at("secure-port", int, "secureServing.port", "Port to serve HTTPS on; 0 serves nothing."),
  at("disable-http2-serving", bool, "secureServing.disableHttp2", "Serve HTTP/1.1 only."),
  at(
    "cert-dir",
    string,
    "secureServing.certDirectory",
    "Directory in which the self-signed serving certificate is kept. Ignored with --tls-cert-file and --tls-private-key-file.",
  ),
  at(
    "tls-cert-file",
    string,
    "secureServing.certFile",
    "Serving certificate, followed by its intermediates. Without one a self-signed certificate is made.",
  ),
  at("tls-private-key-file", string, "secureServing.keyFile", "Private key of --tls-cert-file."),
  at(
    "tls-cipher-suites",
    strings,
    "secureServing.cipherSuites",
    "Cipher suites for TLS up to 1.2, by their IANA names. Empty: the defaults of the TLS library.",
  ),
  at(
    "tls-curve-preferences",
    int32List,
    "secureServing.curvePreferences",
    "Key exchange groups by number (23 P-256, 24 P-384, 25 P-521, 29 X25519, 4588 X25519MLKEM768). Empty: the defaults of the TLS library.",
  ),
  at(
    "tls-min-version",
    string,
    "secureServing.minTlsVersion",
    "Oldest TLS version: VersionTLS10, VersionTLS11, VersionTLS12 or VersionTLS13. Empty: VersionTLS12.",
  ),
  at(
    "tls-sni-cert-key",
    namedCertKeys,
    "secureServing.sniCertKeys",
    "Certificate and key for certain host names: cert,key or cert,key:name,*.name. Repeatable; names default to the certificate's own.",
  ),
  at(
    "http2-max-streams-per-connection",
    int,
    "secureServing.http2MaxStreams",
    "Streams a client may open on one HTTP/2 connection; 0 means 100.",
  ),
  at(
    "permit-port-sharing",
    bool,
    "secureServing.permitPortSharing",
    "Bind with SO_REUSEPORT, so that several processes can serve on one port.",
  ),
  at(
    "permit-address-sharing",
    bool,
    "secureServing.permitAddressSharing",
    "Bind with SO_REUSEADDR, so that the port can be reused at once after a restart.",
  ),
];

const authentication: readonly BoundFlag[] = [
  at(
    "authentication-kubeconfig",
    string,
    "authentication.kubeconfig",
    "Kubeconfig for TokenReviews and for looking up the cluster's client CA. Empty: tokens are not checked and callers are anonymous.",
  ),
  at(
    "authentication-token-webhook-cache-ttl",
    duration,
    "authentication.tokenCacheTtl",
    "How long the answer to a TokenReview is believed.",
  ),
  at(
    "client-ca-file",
    string,
    "authentication.clientCaFile",
    "CA bundle for client certificates. Common name becomes the user, organisations the groups.",
  ),
  at(
    "requestheader-username-headers",
    strings,
    "authentication.requestHeader.usernameHeaders",
    "Headers in which a front proxy passes the user name.",
  ),
  at(
    "requestheader-uid-headers",
    strings,
    "authentication.requestHeader.uidHeaders",
    "Headers in which a front proxy passes the user's UID.",
  ),
  at(
    "requestheader-group-headers",
    strings,
    "authentication.requestHeader.groupHeaders",
    "Headers in which a front proxy passes the groups.",
  ),
  at(
    "requestheader-extra-headers-prefix",
    strings,
    "authentication.requestHeader.extraHeaderPrefixes",
    "Prefixes of headers in which a front proxy passes more about the user.",
  ),
  at(
    "requestheader-client-ca-file",
    string,
    "authentication.requestHeader.clientCaFile",
    "CA bundle for the certificates of front proxies. Do not trust it for anything else.",
  ),
  at(
    "requestheader-allowed-names",
    strings,
    "authentication.requestHeader.allowedNames",
    "Common names that a front proxy's certificate may have. Empty: any.",
  ),
  at(
    "authentication-skip-lookup",
    bool,
    "authentication.skipLookup",
    "Do not look up missing authentication settings in the cluster.",
  ),
  at(
    "authentication-tolerate-lookup-failure",
    bool,
    "authentication.tolerateLookupFailure",
    "Go on when that lookup fails; callers may then all be anonymous.",
  ),
];

const authorization: readonly BoundFlag[] = [
  at(
    "authorization-kubeconfig",
    string,
    "authorization.kubeconfig",
    "Kubeconfig for SubjectAccessReviews. Empty: whatever is not always allowed is forbidden.",
  ),
  at(
    "authorization-webhook-cache-authorized-ttl",
    duration,
    "authorization.allowCacheTtl",
    "How long a permission is believed.",
  ),
  at(
    "authorization-webhook-cache-unauthorized-ttl",
    duration,
    "authorization.denyCacheTtl",
    "How long a refusal is believed.",
  ),
  at(
    "authorization-always-allow-paths",
    strings,
    "authorization.alwaysAllowPaths",
    "Paths that anybody may read. A '*' at the end matches any rest.",
  ),
];

const signerFiles = (prefix: string, path: string, signer: string): readonly BoundFlag[] => [
  at(
    `cluster-signing-${prefix}-cert-file`,
    string,
    `config.CSRSigningController.${path}.CertFile`,
    `CA certificate for the ${signer} signer. Excludes --cluster-signing-cert-file.`,
  ),
  at(
    `cluster-signing-${prefix}-key-file`,
    string,
    `config.CSRSigningController.${path}.KeyFile`,
    `CA key for the ${signer} signer. Excludes --cluster-signing-key-file.`,
  ),
];

const recycler = "config.PersistentVolumeBinderController.VolumeConfiguration.PersistentVolumeRecyclerConfiguration";

const controllerSections: readonly (FlagSection & { readonly flags: readonly BoundFlag[] })[] = [
  {
    name: "persistentvolume-attach-detach-controller",
    flags: [
      at(
        "disable-attach-detach-reconcile-sync",
        bool,
        "config.AttachDetachController.DisableAttachDetachReconcilerSync",
        "Do not compare attached volumes with the nodes from time to time.",
      ),
      at(
        "attach-detach-reconcile-sync-period",
        duration,
        "config.AttachDetachController.ReconcilerSyncLoopPeriod",
        "Period of that comparison; more than one second.",
      ),
      at(
        "disable-force-detach-on-timeout",
        bool,
        "config.AttachDetachController.disableForceDetachOnTimeout",
        "Never detach a volume by force because its unmount takes long.",
      ),
    ],
  },
  {
    name: "certificatesigningrequest-signing-controller",
    flags: [
      at(
        "cluster-signing-cert-file",
        string,
        "config.CSRSigningController.ClusterSigningCertFile",
        "CA certificate for all signers. Excludes the flags of single signers.",
      ),
      at(
        "cluster-signing-key-file",
        string,
        "config.CSRSigningController.ClusterSigningKeyFile",
        "CA key for all signers. Excludes the flags of single signers.",
      ),
      ...signerFiles("kubelet-serving", "KubeletServingSignerConfiguration", "kubernetes.io/kubelet-serving"),
      ...signerFiles(
        "kubelet-client",
        "KubeletClientSignerConfiguration",
        "kubernetes.io/kube-apiserver-client-kubelet",
      ),
      ...signerFiles(
        "kube-apiserver-client",
        "KubeAPIServerClientSignerConfiguration",
        "kubernetes.io/kube-apiserver-client",
      ),
      ...signerFiles("legacy-unknown", "LegacyUnknownSignerConfiguration", "kubernetes.io/legacy-unknown"),
      at(
        "cluster-signing-duration",
        duration,
        "config.CSRSigningController.ClusterSigningDuration",
        "Longest validity of a signed certificate. A request may ask for less.",
      ),
    ],
  },
  section(
    "deployment",
    at(
      "concurrent-deployment-syncs",
      int32,
      "config.DeploymentController.ConcurrentDeploymentSyncs",
      workers("Deployments"),
    ),
  ),
  section(
    "device-taint-eviction",
    at(
      "concurrent-device-taint-eviction-syncs",
      int32,
      "config.DeviceTaintEvictionController.ConcurrentSyncs",
      workers("evictions and DeviceTaintRules"),
    ),
  ),
  section(
    "resourceclaim",
    at(
      "concurrent-resourceclaim-syncs",
      int32,
      "config.ResourceClaimController.ConcurrentSyncs",
      workers("ResourceClaims"),
    ),
  ),
  section(
    "statefulset",
    at(
      "concurrent-statefulset-syncs",
      int32,
      "config.StatefulSetController.ConcurrentStatefulSetSyncs",
      workers("StatefulSets"),
    ),
  ),
  section(
    "daemonset",
    at(
      "concurrent-daemonset-syncs",
      int32,
      "config.DaemonSetController.ConcurrentDaemonSetSyncs",
      workers("DaemonSets"),
    ),
  ),
  section(
    "endpoints",
    at("concurrent-endpoint-syncs", int32, "config.EndpointController.ConcurrentEndpointSyncs", workers("Endpoints")),
    at(
      "endpoint-updates-batch-period",
      duration,
      "config.EndpointController.EndpointUpdatesBatchPeriod",
      "Collect pod changes for so long before Endpoints are written.",
    ),
  ),
  section(
    "endpointslice",
    at(
      "concurrent-service-endpoint-syncs",
      int32,
      "config.EndpointSliceController.ConcurrentServiceEndpointSyncs",
      `${workers("Services")} From 1 to 50.`,
    ),
    at(
      "max-endpoints-per-slice",
      int32,
      "config.EndpointSliceController.MaxEndpointsPerSlice",
      "Most endpoints in one EndpointSlice, from 1 to 1000.",
    ),
    at(
      "endpointslice-updates-batch-period",
      duration,
      "config.EndpointSliceController.EndpointUpdatesBatchPeriod",
      "Collect pod changes for so long before EndpointSlices are written.",
    ),
  ),
  section(
    "endpointslice-mirroring",
    at(
      "mirroring-concurrent-service-endpoint-syncs",
      int32,
      "config.EndpointSliceMirroringController.MirroringConcurrentServiceEndpointSyncs",
      `${workers("mirrored Endpoints")} From 1 to 50.`,
    ),
    at(
      "mirroring-max-endpoints-per-subset",
      int32,
      "config.EndpointSliceMirroringController.MirroringMaxEndpointsPerSubset",
      "Most endpoints mirrored from one subset, from 1 to 1000.",
    ),
    at(
      "mirroring-endpointslice-updates-batch-period",
      duration,
      "config.EndpointSliceMirroringController.MirroringEndpointUpdatesBatchPeriod",
      "Collect changes for so long before mirrored EndpointSlices are written.",
    ),
  ),
  section(
    "ephemeral-volume",
    at(
      "concurrent-ephemeralvolume-syncs",
      int32,
      "config.EphemeralVolumeController.ConcurrentEphemeralVolumeSyncs",
      workers("ephemeral volumes"),
    ),
  ),
  section(
    "garbage-collector",
    at(
      "concurrent-gc-syncs",
      int32,
      "config.GarbageCollectorController.ConcurrentGCSyncs",
      "Workers of each garbage collector queue.",
    ),
    at(
      "enable-garbage-collector",
      bool,
      "config.GarbageCollectorController.EnableGarbageCollector",
      "Collect garbage. Must agree with the API server's flag of this name.",
    ),
  ),
  section(
    "horizontal-pod-autoscaler",
    at(
      "concurrent-horizontal-pod-autoscaler-syncs",
      int32,
      "config.HPAController.ConcurrentHorizontalPodAutoscalerSyncs",
      workers("HorizontalPodAutoscalers"),
    ),
    at(
      "horizontal-pod-autoscaler-sync-period",
      duration,
      "config.HPAController.HorizontalPodAutoscalerSyncPeriod",
      "Period between two evaluations of an autoscaler.",
    ),
    at(
      "horizontal-pod-autoscaler-downscale-stabilization",
      duration,
      "config.HPAController.HorizontalPodAutoscalerDownscaleStabilizationWindow",
      "Never scale below a recommendation made within so long.",
    ),
    at(
      "horizontal-pod-autoscaler-tolerance",
      float64,
      "config.HPAController.HorizontalPodAutoscalerTolerance",
      "Deviation of the metrics ratio from 1.0 that is ignored.",
    ),
    at(
      "horizontal-pod-autoscaler-cpu-initialization-period",
      duration,
      "config.HPAController.HorizontalPodAutoscalerCPUInitializationPeriod",
      "Time after a pod's start in which its CPU samples may be left out.",
    ),
    at(
      "horizontal-pod-autoscaler-initial-readiness-delay",
      duration,
      "config.HPAController.HorizontalPodAutoscalerInitialReadinessDelay",
      "Time after a pod's start in which a change of readiness counts as the first one.",
    ),
  ),
  section("job", at("concurrent-job-syncs", int32, "config.JobController.ConcurrentJobSyncs", workers("Jobs"))),
  section(
    "cronjob",
    at("concurrent-cron-job-syncs", int32, "config.CronJobController.ConcurrentCronJobSyncs", workers("CronJobs")),
  ),
  section(
    "legacy-serviceaccount-token-cleaner",
    at(
      "legacy-service-account-token-clean-up-period",
      duration,
      "config.LegacySATokenCleaner.CleanUpPeriod",
      "Remove token secrets that were not used for so long.",
    ),
  ),
  section(
    "namespace",
    at(
      "namespace-sync-period",
      duration,
      "config.NamespaceController.NamespaceSyncPeriod",
      "Period after which each namespace is looked at again.",
    ),
    at(
      "concurrent-namespace-syncs",
      int32,
      "config.NamespaceController.ConcurrentNamespaceSyncs",
      workers("Namespaces"),
    ),
  ),
  section(
    "node-ipam",
    at(
      "service-cluster-ip-range",
      string,
      "config.NodeIPAMController.ServiceCIDR",
      "Service address ranges, at most two, that are kept out of the nodes' ranges. Used with --allocate-node-cidrs.",
    ),
    at(
      "node-cidr-mask-size",
      int32,
      "config.NodeIPAMController.NodeCIDRMaskSize",
      "Mask size of a node's range in a single-stack cluster; 24 for IPv4 and 64 for IPv6 when 0.",
    ),
    at(
      "node-cidr-mask-size-ipv4",
      int32,
      "config.NodeIPAMController.NodeCIDRMaskSizeIPv4",
      "Mask size of a node's IPv4 range in a dual-stack cluster; 24 when 0.",
    ),
    at(
      "node-cidr-mask-size-ipv6",
      int32,
      "config.NodeIPAMController.NodeCIDRMaskSizeIPv6",
      "Mask size of a node's IPv6 range in a dual-stack cluster; 64 when 0.",
    ),
  ),
  section(
    "node-lifecycle",
    at(
      "node-startup-grace-period",
      duration,
      "config.NodeLifecycleController.NodeStartupGracePeriod",
      "How long a new node may be silent before it counts as unhealthy.",
    ),
    at(
      "node-monitor-grace-period",
      duration,
      "config.NodeLifecycleController.NodeMonitorGracePeriod",
      "How long a node may be silent before it counts as unhealthy. Should be several times the kubelet's update period.",
    ),
    at(
      "node-eviction-rate",
      float32,
      "config.NodeLifecycleController.NodeEvictionRate",
      "Failed nodes per second from which pods are evicted while the zone is healthy.",
    ),
    at(
      "secondary-node-eviction-rate",
      float32,
      "config.NodeLifecycleController.SecondaryNodeEvictionRate",
      "The same while the zone is unhealthy; 0 in small clusters.",
    ),
    at(
      "large-cluster-size-threshold",
      int32,
      "config.NodeLifecycleController.LargeClusterSizeThreshold",
      "A zone with more nodes than this counts as large.",
    ),
    at(
      "unhealthy-zone-threshold",
      float32,
      "config.NodeLifecycleController.UnhealthyZoneThreshold",
      "Share of not ready nodes, at least three, from which a zone counts as unhealthy.",
    ),
  ),
  section(
    "persistentvolume-binder",
    at(
      "pvclaimbinder-sync-period",
      duration,
      "config.PersistentVolumeBinderController.PVClaimBinderSyncPeriod",
      "Period after which volumes and claims are looked at again.",
    ),
    at(
      "pv-recycler-pod-template-filepath-nfs",
      string,
      `${recycler}.PodTemplateFilePathNFS`,
      "Pod template for recycling NFS volumes.",
    ),
    at(
      "pv-recycler-minimum-timeout-nfs",
      int32,
      `${recycler}.MinimumTimeoutNFS`,
      "Least seconds that an NFS recycler pod may take.",
    ),
    at(
      "pv-recycler-increment-timeout-nfs",
      int32,
      `${recycler}.IncrementTimeoutNFS`,
      "Seconds added for each Gi of an NFS volume.",
    ),
    at(
      "pv-recycler-pod-template-filepath-hostpath",
      string,
      `${recycler}.PodTemplateFilePathHostPath`,
      "Pod template for recycling hostPath volumes. For tests on one node.",
    ),
    at(
      "pv-recycler-minimum-timeout-hostpath",
      int32,
      `${recycler}.MinimumTimeoutHostPath`,
      "Least seconds that a hostPath recycler pod may take. For tests on one node.",
    ),
    at(
      "pv-recycler-timeout-increment-hostpath",
      int32,
      `${recycler}.IncrementTimeoutHostPath`,
      "Seconds added for each Gi of a hostPath volume. For tests on one node.",
    ),
    at(
      "enable-hostpath-provisioner",
      bool,
      "config.PersistentVolumeBinderController.VolumeConfiguration.EnableHostPathProvisioning",
      "Provision hostPath volumes. For tests on one node.",
    ),
    at(
      "enable-dynamic-provisioning",
      bool,
      "config.PersistentVolumeBinderController.VolumeConfiguration.EnableDynamicProvisioning",
      "Provision volumes on demand where the environment supports it.",
    ),
    at(
      "flex-volume-plugin-dir",
      string,
      "config.PersistentVolumeBinderController.VolumeConfiguration.FlexVolumePluginDir",
      "Directory of FlexVolume plugins.",
    ),
  ),
  section(
    "pod-garbage-collector",
    at(
      "terminated-pod-gc-threshold",
      int32,
      "config.PodGCController.TerminatedPodGCThreshold",
      "Terminated pods beyond this number are deleted; 0 or less keeps them all.",
    ),
  ),
  section(
    "replicaset",
    at("concurrent-replicaset-syncs", int32, "config.ReplicaSetController.ConcurrentRSSyncs", workers("ReplicaSets")),
  ),
  section(
    "replicationcontroller",
    at(
      "concurrent-rc-syncs",
      int32,
      "config.ReplicationController.ConcurrentRCSyncs",
      workers("ReplicationControllers"),
    ),
  ),
  section(
    "resourcequota",
    at(
      "resource-quota-sync-period",
      duration,
      "config.ResourceQuotaController.ResourceQuotaSyncPeriod",
      "Period after which every quota is counted anew.",
    ),
    at(
      "concurrent-resource-quota-syncs",
      int32,
      "config.ResourceQuotaController.ConcurrentResourceQuotaSyncs",
      workers("ResourceQuotas"),
    ),
  ),
  section(
    "serviceaccount",
    at(
      "service-account-private-key-file",
      string,
      "config.SAController.ServiceAccountKeyFile",
      "RSA or ECDSA key that signs the tokens in service account secrets. Empty: such secrets are not filled.",
    ),
    at(
      "concurrent-serviceaccount-token-syncs",
      int32,
      "config.SAController.ConcurrentSATokenSyncs",
      workers("service account tokens"),
    ),
    at(
      "root-ca-file",
      string,
      "config.SAController.RootCAFile",
      "CA bundle that pods use to verify the API server; published to every namespace.",
    ),
  ),
  section(
    "ttl-after-finished",
    at(
      "concurrent-ttl-after-finished-syncs",
      int32,
      "config.TTLAfterFinishedController.ConcurrentTTLSyncs",
      workers("finished Jobs"),
    ),
  ),
  section(
    "validatingadmissionpolicy-status",
    at(
      "concurrent-validating-admission-policy-status-syncs",
      int32,
      "config.ValidatingAdmissionPolicyStatusController.ConcurrentPolicySyncs",
      workers("ValidatingAdmissionPolicies"),
    ),
  ),
];

function section(name: string, ...flags: readonly BoundFlag[]): FlagSection & { readonly flags: readonly BoundFlag[] } {
  return { name: `${name}-controller`, flags };
}

const metrics: readonly BoundFlag[] = [
  at(
    "show-hidden-metrics-for-version",
    string,
    "metrics.showHiddenForVersion",
    "Show metrics that were hidden in this version; only the previous minor version, such as 1.35, is accepted.",
  ),
  at("disabled-metrics", strings, "metrics.disabled", "Full names of metrics to leave out, hidden ones included."),
  at(
    "allow-metric-labels",
    stringMap,
    "metrics.allowLabels",
    "Values a label may have, others become 'unexpected': metric,label='value,value'. Repeatable.",
  ),
  at(
    "allow-metric-labels-manifest",
    string,
    "metrics.allowLabelsManifest",
    "YAML file with allowListMapping, a map of the same form. --allow-metric-labels overrides it.",
  ),
];

const logs: readonly BoundFlag[] = [
  at("logging-format", string, "logs.format", 'Format of log lines: "text" or "json" (gated by LoggingBetaOptions).'),
  at("log-flush-frequency", duration, "logs.flushFrequency", "Longest time that log lines may be buffered."),
  at("v", level, "logs.verbosity", "Log verbosity.", { shorthand: "v" }),
  at("vmodule", moduleLevels, "logs.moduleLevels", "Verbosity by source file pattern; text format only."),
  at(
    "log-text-split-stream",
    bool,
    "logs.textSplitStream",
    "[Alpha] Text format: errors to standard error, the rest to standard output. Needs LoggingAlphaOptions.",
  ),
  at(
    "log-text-info-buffer-size",
    quantity,
    "logs.textInfoBufferSize",
    "[Alpha] Text format: bytes of info lines buffered with split streams, such as 512 or 2Ki. Needs LoggingAlphaOptions.",
  ),
  at(
    "log-json-split-stream",
    bool,
    "logs.jsonSplitStream",
    "[Alpha] JSON format: errors to standard error, the rest to standard output. Needs LoggingAlphaOptions.",
  ),
  at(
    "log-json-info-buffer-size",
    quantity,
    "logs.jsonInfoBufferSize",
    "[Alpha] JSON format: bytes of info lines buffered with split streams, such as 512 or 2Ki. Needs LoggingAlphaOptions.",
  ),
];
