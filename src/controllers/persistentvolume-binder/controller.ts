/**
 * Binds PersistentVolumeClaims and PersistentVolumes to each other, provisions volumes, and reclaims released ones.
 *
 * Keeps true:  each claim is bound to at most one volume and the other way round; both refer to each other, and their
 *              phases show it. A released volume is retained, deleted or recycled according to its reclaim policy.
 * Requeues:    all claims and volumes each --pvclaimbinder-sync-period; failures are retried with back-off. Deleting,
 *              recycling and provisioning run beside the workers, with a back-off for each object.
 * Upstream:    pkg/controller/volume/persistentvolume; component-helpers/storage/volume; pkg/volume/hostpath and nfs.
 * Deviations:  where several volumes fit equally well, the first by name is taken; host paths get no SELinux label; a
 *              recycler pod is made from a copy of its template, so that two recyclers cannot change each other's pod.
 */

import { Events, Nodes, PersistentVolumeClaims, PersistentVolumes, Pods } from "#api/generated/resources/core-v1.ts";
import { StorageClasses } from "#api/generated/resources/storage-v1.ts";
import { objectKey } from "#api/object.ts";
import { until } from "#base/wait.ts";
import type { Claim, Volume } from "#families/volumes/claim-matching.ts";
import { PendingOperations } from "#families/volumes/pending-operations.ts";
import { addClaimIndex } from "#families/volumes/pod-claims.ts";
import { create, events, get, remove, update } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import type { Deps } from "./deps.ts";
import { KnownObjects } from "./known-objects.ts";
import { registerBinderMetrics } from "./metrics.ts";
import type { PluginSettings } from "./plugins.ts";
import { syncClaim } from "./sync-claim.ts";
import { syncVolume } from "./sync-volume.ts";

export interface BinderOptions {
  /** --pvclaimbinder-sync-period */
  readonly syncPeriodMs: number;
  /** --enable-dynamic-provisioning */
  readonly provisions: boolean;
  /** --enable-hostpath-provisioner and the flags of the recyclers */
  readonly plugins: PluginSettings;
}

export const persistentVolumeBinder: ControllerDescriptor<BinderOptions> = keyedController({
  name: "persistentvolume-binder-controller",
  contract: {
    // Events about recycler pods.
    watches: [PersistentVolumes, PersistentVolumeClaims, StorageClasses, Pods, Nodes, Events],
    reads: [get(PersistentVolumeClaims), get(PersistentVolumes)],
    writes: [
      update(PersistentVolumes),
      update(PersistentVolumes, "status"),
      create(PersistentVolumes),
      remove(PersistentVolumes),
      update(PersistentVolumeClaims),
      update(PersistentVolumeClaims, "status"),
      create(Pods),
      remove(Pods),
      ...events,
    ],
  },
  build(parts, { syncPeriodMs, provisions, plugins }) {
    const { clock, rng, host, metrics, gates } = parts.context;
    const knownClaims = new KnownObjects<Claim>();
    const knownVolumes = new KnownObjects<Volume>();
    const deps: Deps = {
      clock,
      rng: rng.fork("persistentvolume-binder"),
      log: parts.log,
      files: host.files,
      claims: parts.informer(PersistentVolumeClaims),
      volumes: parts.informer(PersistentVolumes),
      classes: parts.informer(StorageClasses),
      pods: parts.informer(Pods),
      nodes: parts.informer(Nodes),
      claimsApi: parts.client.resource(PersistentVolumeClaims),
      volumesApi: parts.client.resource(PersistentVolumes),
      podsApi: parts.client.resource(Pods),
      eventsApi: parts.client.resource(Events),
      knownClaims,
      knownVolumes,
      claimQueue: parts.queue({ name: "claims" }),
      volumeQueue: parts.queue({ name: "volumes" }),
      recorder: parts.recorder("persistentvolume-controller", 3),
      operations: new PendingOperations(clock, parts.log),
      metrics: registerBinderMetrics(metrics, clock, knownVolumes, knownClaims),
      plugins,
      provisions,
      usesAttributesClasses: gates.isEnabled("VolumeAttributesClass"),
    };
    addClaimIndex(deps.pods);
    parts.enqueue(deps.volumes, deps.volumeQueue, { on: ["add", "update", "delete"] });
    parts.enqueue(deps.claims, deps.claimQueue, { on: ["add", "update", "delete"] });
    parts.loop((signal) => {
      remember(deps);
      return deps.operations.run(signal);
    });
    parts.loop((signal) => until(() => resync(deps), syncPeriodMs, clock, signal));
    parts.work({ queue: deps.volumeQueue, sync: (name, signal) => syncVolume(name, deps, signal) });
    parts.work({ queue: deps.claimQueue, sync: (key, signal) => syncClaim(key, deps, signal) });
  },
});

/**
 * Fills the binder's memory before the first sync: a claim must not become Lost because its volume was not seen yet.
 */
function remember({ claims, volumes, knownClaims, knownVolumes }: Deps): void {
  for (const volume of volumes.lister.list()) knownVolumes.store(volume);
  for (const claim of claims.lister.list()) knownClaims.store(claim);
}

function resync({ claims, volumes, claimQueue, volumeQueue }: Deps): void {
  for (const claim of claims.lister.list()) claimQueue.add(objectKey(claim), { kind: "resync" });
  for (const volume of volumes.lister.list()) volumeQueue.add(objectKey(volume), { kind: "resync" });
}
