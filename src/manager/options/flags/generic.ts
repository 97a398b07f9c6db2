// Flags of the manager as a whole: debugging, leader migration, clients, election, cloud, versions and gates.

import { bool, duration, float32, int32, multimap, string, strings } from "../../flags/flag-types.ts";
import { at, type BoundFlag, type FlagFacts } from "./bound-flag.ts";

export const debugging: readonly BoundFlag[] = [
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

export const leaderMigration: readonly BoundFlag[] = [
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

export function generic(facts: FlagFacts): readonly BoundFlag[] {
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
      "Content type of requests to the API server. Built-in kinds are sent as protobuf only if this is given.",
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
      "Run each controller with the credentials of a separate service account.",
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
      "How often node-lifecycle-controller checks the nodes.",
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
      "Allocate a pod address range from --cluster-cidr to each node.",
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
