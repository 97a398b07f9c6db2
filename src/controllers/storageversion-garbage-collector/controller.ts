/**
 * Removes deleted API servers from the storage versions that they reported.
 *
 * Keeps true:  every server in a StorageVersion has an identity lease. A StorageVersion without servers is deleted.
 * Requeues:    failures, with back-off.
 * Deviations:  none.
 * Upstream:    pkg/controller/storageversiongc.
 */

import { Leases } from "#api/generated/resources/coordination-v1.ts";
import { StorageVersions } from "#api/generated/resources/internal-v1alpha1.ts";
import { get, list, remove, update } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { type Deps, isIdentity, SYSTEM, syncLease, syncVersion } from "./sync.ts";

export const storageVersionGarbageCollector: ControllerDescriptor = keyedController({
  name: "storageversion-garbage-collector-controller",
  contract: {
    watches: [Leases, StorageVersions],
    reads: [get(Leases), list(StorageVersions), get(StorageVersions)],
    writes: [update(StorageVersions, "status"), remove(StorageVersions)],
  },
  build(parts) {
    const leases = parts.informer(Leases);
    const versions = parts.informer(StorageVersions);
    const deps: Deps = {
      clock: parts.context.clock,
      leasesApi: parts.client.resource(Leases),
      versionsApi: parts.client.resource(StorageVersions),
    };
    const leaseQueue = parts.queue<string>({ name: "storage_version_garbage_collector_leases" });
    parts.enqueue(leases, leaseQueue, {
      on: ["delete"],
      when: (lease) => lease.metadata.namespace === SYSTEM && isIdentity(lease),
      key: ({ metadata }) => metadata.name,
    });
    const versionQueue = parts.queue<string>({ name: "storage_version_garbage_collector_storageversions" });
    parts.enqueue(versions, versionQueue, {
      on: ["add", "update"],
      when: ({ status }) =>
        status?.storageVersions?.some(
          ({ apiServerID }) => !isIdentity(leases.lister.get(`${SYSTEM}/${apiServerID}`)),
        ) ?? false,
    });
    parts.work({ queue: leaseQueue, sync: (name, signal) => syncLease(name, deps, signal) });
    parts.work({ queue: versionQueue, sync: (name, signal) => syncVersion(name, deps, signal) });
  },
});
