// The facts of each of these controllers, by its declaration and by its behaviour alone: aliases, gates, identity,
// watches, live reads, writes, queues and metrics.

import { describe, expect, it } from "vitest";
import type { Access } from "#kit/contract.ts";
import { type ControllerName, knownController } from "#kit/known-controllers.ts";
import { canonicalSelection, isSelected } from "#manager/controller-selection.ts";
import { registeredControllers } from "#manager/registry.ts";
import { WireStage } from "#test/stage/wire-stage.ts";

interface Facts {
  readonly controller: ControllerName;
  /** Starts with the ledger rows of these facts. */
  readonly name: string;
  readonly alias?: string;
  readonly isOff?: boolean;
  readonly gates?: readonly string[];
  readonly identity: string;
  readonly watches: readonly string[];
  readonly reads?: readonly string[];
  readonly writes: readonly string[];
  readonly queues: readonly string[];
  readonly metrics?: readonly string[];
  /** The controller's gates are off by default, so it cannot start here. */
  readonly isNotStarted?: boolean;
}

const facts: readonly Facts[] = [
  {
    controller: "legacy-serviceaccount-token-cleaner-controller",
    name: "legacy-serviceaccount-token-cleaner/about, legacy-serviceaccount-token-cleaner/watches, legacy-serviceaccount-token-cleaner/writes, legacy-serviceaccount-token-cleaner/metrics, legacy-serviceaccount-token-cleaner/reads-live, legacy-serviceaccount-token-cleaner/events is what upstream's is",
    alias: "legacy-service-account-token-cleaner",
    identity: "legacy-service-account-token-cleaner",
    watches: ["serviceaccounts", "secrets", "pods"],
    reads: ["get configmaps"],
    writes: ["patch secrets", "delete secrets with resourceVersion"],
    queues: [],
  },
  {
    controller: "storage-version-migrator-controller",
    name: "storage-version-migrator/about, storage-version-migrator/watches, storage-version-migrator/writes, storage-version-migrator/metrics, storage-version-migrator/reads-live, storage-version-migrator/events is what upstream's is",
    alias: "svm",
    identity: "storage-version-migrator-controller",
    watches: ["storageversionmigrations"],
    reads: ["get customresourcedefinitions", "list *"],
    writes: ["update storageversionmigrations/status", "patch customresourcedefinitions/status", "patch *"],
    queues: [],
    isNotStarted: true,
  },
  {
    controller: "storageversion-garbage-collector-controller",
    name: "storageversion-garbage-collector/about, storageversion-garbage-collector/watches, storageversion-garbage-collector/writes, storageversion-garbage-collector/metrics, storageversion-garbage-collector/reads-live, storageversion-garbage-collector/events is what upstream's is",
    alias: "storage-version-gc",
    gates: ["APIServerIdentity", "StorageVersionAPI"],
    identity: "storage-version-garbage-collector",
    watches: ["leases", "storageversions"],
    reads: ["get leases", "list storageversions", "get storageversions"],
    writes: ["update storageversions/status", "delete storageversions"],
    queues: [],
    isNotStarted: true,
  },
  {
    controller: "validatingadmissionpolicy-status-controller",
    name: "validatingadmissionpolicy-status/about, validatingadmissionpolicy-status/watches, validatingadmissionpolicy-status/writes, validatingadmissionpolicy-status/metrics, validatingadmissionpolicy-status/events, validatingadmissionpolicy-status/config is what upstream's is",
    identity: "validatingadmissionpolicy-status-controller",
    watches: ["validatingadmissionpolicies"],
    writes: ["patch validatingadmissionpolicies/status"],
    queues: ["validatingadmissionpolicy-status"],
  },
  {
    controller: "token-cleaner-controller",
    name: "token-cleaner/about, token-cleaner/watches, token-cleaner/writes, token-cleaner/metrics, token-cleaner/events is what upstream's is",
    alias: "tokencleaner",
    isOff: true,
    identity: "token-cleaner",
    watches: ["secrets"],
    writes: ["delete secrets with uid"],
    queues: ["token_cleaner"],
  },
  {
    controller: "ttl-controller",
    name: "ttl/about, ttl/watches, ttl/events, ttl/metrics is what upstream's is",
    alias: "ttl",
    identity: "ttl-controller",
    watches: ["nodes"],
    writes: ["patch nodes"],
    queues: ["ttlcontroller"],
  },
  {
    controller: "ttl-after-finished-controller",
    name: "ttl-after-finished/about, ttl-after-finished/watches, ttl-after-finished/writes, ttl-after-finished/metrics, ttl-after-finished/reads-live, ttl-after-finished/events is what upstream's is",
    alias: "ttl-after-finished",
    identity: "ttl-after-finished-controller",
    watches: ["jobs"],
    reads: ["get jobs"],
    writes: ["delete jobs with uid"],
    queues: ["ttl_jobs_to_delete"],
    metrics: ["ttl_after_finished_controller_job_deletion_duration_seconds"],
  },
  {
    controller: "pod-garbage-collector-controller",
    name: "pod-garbage-collector/about, pod-garbage-collector/watches, pod-garbage-collector/writes, pod-garbage-collector/reads-live, pod-garbage-collector/events is what upstream's is",
    alias: "podgc",
    identity: "pod-garbage-collector",
    watches: ["pods", "nodes"],
    reads: ["get nodes"],
    writes: ["patch pods/status", "delete pods"],
    queues: ["orphaned_pods_nodes"],
  },
  {
    controller: "persistentvolume-protection-controller",
    name: "persistentvolume-protection/about, persistentvolume-protection/watches, persistentvolume-protection/writes, persistentvolume-protection/metrics, persistentvolume-protection/events is what upstream's is",
    alias: "pv-protection",
    identity: "pv-protection-controller",
    watches: ["persistentvolumes"],
    writes: ["update persistentvolumes"],
    queues: ["pvprotection"],
  },
  {
    controller: "persistentvolumeclaim-protection-controller",
    name: "persistentvolumeclaim-protection/about, persistentvolumeclaim-protection/watches, persistentvolumeclaim-protection/writes, persistentvolumeclaim-protection/metrics, persistentvolumeclaim-protection/events is what upstream's is",
    alias: "pvc-protection",
    identity: "pvc-protection-controller",
    watches: ["persistentvolumeclaims", "pods"],
    reads: ["list pods"],
    writes: ["update persistentvolumeclaims", "update persistentvolumeclaims/status"],
    queues: ["pvcprotection"],
  },
  {
    controller: "volumeattributesclass-protection-controller",
    name: "volumeattributesclass-protection/about, volumeattributesclass-protection/watches, volumeattributesclass-protection/writes, volumeattributesclass-protection/metrics, volumeattributesclass-protection/events is what upstream's is",
    gates: ["VolumeAttributesClass"],
    identity: "volumeattributesclass-protection-controller",
    watches: ["volumeattributesclasses", "persistentvolumeclaims", "persistentvolumes"],
    writes: ["update volumeattributesclasses"],
    queues: ["vacprotection"],
  },
  {
    controller: "ephemeral-volume-controller",
    name: "ephemeral-volume/about, ephemeral-volume/watches, ephemeral-volume/writes, ephemeral-volume/metrics is what upstream's is",
    alias: "ephemeral-volume",
    identity: "ephemeral-volume-controller",
    watches: ["pods", "persistentvolumeclaims"],
    writes: ["create persistentvolumeclaims", "create events", "patch events"],
    queues: ["ephemeral_volume"],
    metrics: ["ephemeral_volume_controller_create_total", "ephemeral_volume_controller_create_failures_total"],
  },
  {
    controller: "deployment-controller",
    name: "deployment/about, deployment/watches, deployment/writes, deployment/metrics is what upstream's is",
    alias: "deployment",
    identity: "deployment-controller",
    watches: ["deployments", "replicasets", "pods"],
    reads: ["get deployments"],
    writes: [
      "update deployments",
      "update deployments/status",
      "create replicasets",
      "update replicasets",
      "patch replicasets",
      "delete replicasets",
      "create events",
      "patch events",
    ],
    queues: ["deployment"],
  },
  {
    controller: "daemonset-controller",
    name: "daemonset/about, daemonset/watches, daemonset/writes, daemonset/metrics, daemonset/reads-live is what upstream's is",
    alias: "daemonset",
    identity: "daemon-set-controller",
    watches: ["daemonsets", "controllerrevisions", "pods", "nodes"],
    reads: ["get daemonsets", "get controllerrevisions"],
    writes: [
      "update daemonsets/status",
      "create pods",
      "patch pods",
      "delete pods",
      "create controllerrevisions",
      "update controllerrevisions",
      "patch controllerrevisions",
      "delete controllerrevisions",
      "create events",
      "patch events",
    ],
    queues: ["daemonset", "daemonset-node-updates"],
  },
  {
    controller: "statefulset-controller",
    name: "statefulset/about, statefulset/watches, statefulset/writes, statefulset/reads-live is what upstream's is",
    alias: "statefulset",
    identity: "statefulset-controller",
    watches: ["statefulsets", "pods", "persistentvolumeclaims", "controllerrevisions"],
    reads: ["get statefulsets", "get controllerrevisions"],
    writes: [
      "update statefulsets/status",
      "create pods",
      "update pods",
      "patch pods",
      "delete pods",
      "create persistentvolumeclaims",
      "update persistentvolumeclaims",
      "create controllerrevisions",
      "update controllerrevisions",
      "patch controllerrevisions",
      "delete controllerrevisions",
      "create events",
      "patch events",
    ],
    queues: ["statefulset"],
  },
];

class Alone extends WireStage {
  static async open(controller: ControllerName): Promise<Alone> {
    return await new Alone({ controllers: [controller], seed: controller }).opened();
  }

  /** Metric families other than those of queues, clients, informers and the registry. */
  families(): readonly string[] {
    const shared =
      /^(workqueue|rest_client|informer|reflector|watch|running_managed|cardinality|disabled|hidden|registered)_/;
    const families = this.series("# TYPE ").map((line) => line.split(" ")[2] ?? "");
    return families.filter((family) => !shared.test(family)).sort();
  }

  queues(): readonly string[] {
    const names = this.series("workqueue_adds_total{").map((line) => /name="([^"]*)"/.exec(line)?.[1] ?? "");
    return names.sort();
  }
}

function textOf({ verb, resource, subresource, preconditions }: Access): string {
  const what = subresource === "" ? resource : `${resource}/${subresource}`;
  return [verb, what, ...(preconditions.length === 0 ? [] : ["with", ...preconditions])].join(" ");
}

describe("a controller", () => {
  it.each(facts)("$name", ({ controller, alias, gates = [], identity, isOff = false, watches, reads = [], writes }) => {
    const known = knownController(controller);
    expect(known.aliases).toEqual(alias === undefined ? [] : [alias]);
    expect(known.featureGates).toEqual(gates);
    expect(known.identity).toBe(identity);
    expect(isSelected(controller, ["*"])).toBe(!isOff);
    if (alias !== undefined) expect(canonicalSelection([alias])).toEqual([controller]);
    const { contract } = registeredControllers.find(({ name }) => name === controller) ?? {};
    expect(contract?.watches.map(({ resource }) => resource)).toEqual(watches);
    expect(contract?.reads.map(textOf)).toEqual(reads);
    expect(contract?.writes.map(textOf)).toEqual(writes);
  });

  it.each(facts.filter(({ isNotStarted }) => !isNotStarted))(
    "$controller watches, queues and counts as it says",
    async (expected) => {
      await using world = await Alone.open(expected.controller);
      world.startManager();
      await world.pass(1000);
      const watched = [...world.watched()].map((path) => path.split("/").at(-1) ?? "");
      expect(watched.sort()).toEqual([...expected.watches].sort());
      expect(world.queues()).toEqual(expected.queues);
      expect(world.families()).toEqual([...(expected.metrics ?? [])].sort());
    },
  );
});
