/**
 * Sets the resizer of a claim that requests more storage, and prepares the expansion of FlexVolumes.
 *
 * Keeps true:  a bound claim that requests more than its capacity names its resizer, if its volume belongs to a
 *              migrated plugin. A FlexVolume has the size that its claim requests, and a condition of the claim says
 *              that a node has to grow the file system.
 * Requeues:    never; failures are retried with back-off.
 * Upstream:    pkg/controller/volume/expand; pkg/volume/util/operationexecutor; pkg/volume/util/resize_util.go.
 * Deviations:  none.
 */

import { PersistentVolumeClaims, PersistentVolumes } from "#api/generated/resources/core-v1.ts";
import { objectKey } from "#api/object.ts";
import { quantityFromWire } from "#api/quantity-parser.ts";
import { operationMetrics } from "#families/volumes/operation-metrics.ts";
import { events, get, patch } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { type ChangeType, eventCause } from "#kit/trace.ts";
import { type Claim, type Deps, syncClaim } from "./sync.ts";

const WORKERS = 10;

export const persistentVolumeExpander: ControllerDescriptor = keyedController({
  name: "persistentvolume-expander-controller",
  contract: {
    watches: [PersistentVolumeClaims],
    reads: [get(PersistentVolumes)],
    writes: [patch(PersistentVolumeClaims, "status"), patch(PersistentVolumes), ...events],
  },
  build(parts) {
    const { clock, metrics } = parts.context;
    const deps: Deps = {
      clock,
      claims: parts.informer(PersistentVolumeClaims),
      claimsApi: parts.client.resource(PersistentVolumeClaims),
      volumesApi: parts.client.resource(PersistentVolumes),
      recorder: parts.recorder("volume_expand", 3),
      metrics: operationMetrics(metrics),
    };
    const queue = parts.queue({ name: "volume_expand" });
    const enqueue = (claim: Claim, event: ChangeType): void => {
      if (claim.status?.phase !== "Bound") return;
      queue.add(objectKey(claim), eventCause(PersistentVolumeClaims, event, claim));
    };
    parts.handle(deps.claims, {
      onAdd: (claim) => enqueue(claim, "add"),
      onUpdate(old, claim) {
        if (hasGrown(old, claim)) enqueue(claim, "update");
      },
      // Upstream ignores a deletion that the watch missed.
      onDelete(claim, isFinalStateUnknown) {
        if (!isFinalStateUnknown) enqueue(claim, "delete");
      },
    });
    parts.work({ queue, workers: WORKERS, sync: (key, signal) => syncClaim(key, deps, signal) });
  },
});

/** True if the claim's request or its capacity has grown. */
function hasGrown(old: Claim, claim: Claim): boolean {
  const isMore = (after: string | undefined, before: string | undefined): boolean =>
    quantityFromWire(after).cmp(quantityFromWire(before)) > 0;
  return (
    isMore(claim.spec?.resources?.requests?.storage, old.spec?.resources?.requests?.storage) ||
    isMore(claim.status?.capacity?.storage, old.status?.capacity?.storage)
  );
}
