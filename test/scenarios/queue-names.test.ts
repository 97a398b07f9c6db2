// The queue names of all controllers, as their metrics show them, with the default gates and with the gates that are
// off by default.

import { expect, it } from "vitest";
import type { ControllerName } from "#kit/known-controllers.ts";
import { registeredControllers } from "#manager/registry.ts";
import { systemKeys } from "#platform/system/system-keys.ts";
import { profiles } from "#test/stage/profiles.ts";
import { signingPair } from "#test/stage/signing-pair.ts";
import { WireStage } from "#test/stage/wire-stage.ts";
import { configOf } from "./command-line.ts";

const { gates, extraVersions } = profiles.alpha;
const { ca } = signingPair(Date.UTC(2026, 0, 1));

class Alone extends WireStage {
  static async open(controller: ControllerName): Promise<Alone> {
    const runtimeConfig = Object.fromEntries(extraVersions.map((version) => [version, "true"]));
    const server = { serverGates: gates, runtimeConfig, keys: systemKeys };
    return await new Alone({ controllers: [controller], seed: controller, ...server }).opened();
  }

  queues(): readonly string[] {
    const names = this.series("workqueue_adds_total{").map((line) => /name="([^"]*)"/.exec(line)?.[1] ?? "");
    return names.sort();
  }
}

const flags = [
  "--allocate-node-cidrs",
  "--cluster-cidr=10.244.0.0/16",
  "--node-cidr-mask-size=24",
  "--root-ca-file=ca.crt",
];

async function queuesOf(controller: ControllerName): Promise<readonly string[]> {
  await using world = await Alone.open(controller);
  world.world.host.write("ca.crt", ca);
  world.startManager({ gates, config: configOf(...flags) });
  await world.pass(1000);
  return world.queues();
}

/** Controllers without an entry check everything periodically, or have a queue without a name. */
const queues: Readonly<Record<string, readonly string[]>> = {
  "endpoints-controller": ["endpoint"],
  "endpointslice-mirroring-controller": ["endpoint_slice_mirroring"],
  "endpointslice-controller": ["endpoint_slice"],
  "replicationcontroller-controller": ["replicationmanager"],
  "resourcequota-controller": [
    "resource_quota_controller_resource_changes",
    "resourcequota_primary",
    "resourcequota_priority",
  ],
  "namespace-controller": ["namespace"],
  "serviceaccount-controller": ["serviceaccount"],
  "garbage-collector-controller": [
    "garbage_collector_attempt_to_delete",
    "garbage_collector_attempt_to_orphan",
    "garbage_collector_graph_changes",
  ],
  "replicaset-controller": ["replicaset"],
  "pod-garbage-collector-controller": ["orphaned_pods_nodes"],
  "daemonset-controller": ["daemonset", "daemonset-node-updates"],
  "job-controller": ["job", "job_orphan_pod"],
  "podgroup-protection-controller": ["podgroupprotection"],
  "deployment-controller": ["deployment"],
  "statefulset-controller": ["statefulset"],
  "horizontal-pod-autoscaler-controller": ["horizontalpodautoscaler"],
  "disruption-controller": ["disruption", "disruption_recheck", "stale_pod_disruption"],
  "clusterrole-aggregation-controller": ["ClusterRoleAggregator"],
  "certificatesigningrequest-signing-controller": [],
  "certificatesigningrequest-approving-controller": ["certificate"],
  "certificatesigningrequest-cleaner-controller": [],
  "cronjob-controller": ["cronjob"],
  "podcertificaterequest-cleaner-controller": [],
  "ttl-controller": ["ttlcontroller"],
  "bootstrap-signer-controller": ["bootstrap_signer_queue"],
  "token-cleaner-controller": ["token_cleaner"],
  "node-ipam-controller": ["cidrallocator_node"],
  "node-lifecycle-controller": ["node_lifecycle_controller", "node_lifecycle_controller_pods"],
  "taint-eviction-controller": ["noexec_taint_node", "noexec_taint_pod"],
  "ttl-after-finished-controller": ["ttl_jobs_to_delete"],
  "persistentvolume-binder-controller": ["claims", "volumes"],
  "persistentvolume-attach-detach-controller": ["pvcs"],
  "persistentvolume-expander-controller": ["volume_expand"],
  "persistentvolumeclaim-protection-controller": ["pvcprotection"],
  "persistentvolume-protection-controller": ["pvprotection"],
  "volumeattributesclass-protection-controller": ["vacprotection"],
  "ephemeral-volume-controller": ["ephemeral_volume"],
  "legacy-serviceaccount-token-cleaner-controller": [],
  "validatingadmissionpolicy-status-controller": ["validatingadmissionpolicy-status"],
  "storage-version-migrator-controller": ["resource-version-controller", "storage-version-migrator-controller"],
  "storageversion-garbage-collector-controller": [
    "storage_version_garbage_collector_leases",
    "storage_version_garbage_collector_storageversions",
  ],
  "device-taint-eviction-controller": ["device-taint-eviction-controller"],
  "resourcepoolstatusrequest-controller": [],
  "resourceclaim-controller": ["resource_claim"],
  "service-cidr-controller": ["ipaddresses"],
  "selinux-warning-controller": ["selinux_warning"],
  "root-ca-certificate-publisher-controller": ["root_ca_cert_publisher"],
  "kube-apiserver-serving-clustertrustbundle-publisher-controller": ["ca_cert_publisher_cluster_trust_bundles"],
};

it.each(registeredControllers)("machinery/6.n4, workloads/S2 $name names its queues as upstream", async ({ name }) => {
  expect(await queuesOf(name)).toEqual(queues[name] ?? ["a controller that is not in the table"]);
});
