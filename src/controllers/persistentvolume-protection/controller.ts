/**
 * Keeps a bound PersistentVolume that is being deleted.
 *
 * Keeps true:  each volume that is not being deleted has the finalizer kubernetes.io/pv-protection; a deleted one keeps
 *              it while it is Bound.
 * Requeues:    never; failures are retried with back-off.
 * Upstream:    pkg/controller/volume/pvprotection.
 * Deviations:  none.
 */

import { PersistentVolumes } from "#api/generated/resources/core-v1.ts";
import { concernsProtection, syncProtection } from "#families/protection/protection.ts";
import { update } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { done } from "#kit/worker-loop.ts";

const finalizer = "kubernetes.io/pv-protection";

export const persistentVolumeProtection: ControllerDescriptor = keyedController({
  name: "persistentvolume-protection-controller",
  contract: {
    watches: [PersistentVolumes],
    reads: [],
    writes: [update(PersistentVolumes)],
  },
  build(parts) {
    const volumes = parts.informer(PersistentVolumes);
    const api = parts.client.resource(PersistentVolumes);
    const queue = parts.queue({ name: "pvprotection" });
    parts.enqueue(volumes, queue, {
      on: ["add", "update"],
      when: (volume) => concernsProtection(volume, finalizer),
    });
    parts.work({
      queue,
      async sync(key, signal) {
        const volume = volumes.lister.get(key);
        if (volume === undefined) return done;
        const isUsed = (): boolean => volume.status?.phase === "Bound";
        return await syncProtection(volume, { finalizer, api, isUsed }, signal);
      },
    });
  },
});
