/**
 * Creates the PersistentVolumeClaims of generic ephemeral volumes.
 *
 * Keeps true:  each ephemeral volume of a pod that is not deleted has a claim named <pod>-<volume>, controlled by the pod.
 *              The garbage collector deletes it after the pod.
 * Requeues:    never; failures are retried with back-off.
 * Upstream:    pkg/controller/volume/ephemeral.
 * Deviations:  none.
 */

import { PersistentVolumeClaims, Pods } from "#api/generated/resources/core-v1.ts";
import { objectKey } from "#api/object.ts";
import { addClaimIndex, podsOfClaim } from "#families/volumes/pod-claims.ts";
import { create, events } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { eventCause } from "#kit/trace.ts";
import { type Deps, needsClaims, syncPod } from "./sync.ts";

export interface EphemeralVolumeOptions {
  /** --concurrent-ephemeralvolume-syncs */
  readonly workers: number;
}

export const ephemeralVolumeController: ControllerDescriptor<EphemeralVolumeOptions> = keyedController({
  name: "ephemeral-volume-controller",
  contract: {
    watches: [Pods, PersistentVolumeClaims],
    reads: [],
    writes: [create(PersistentVolumeClaims), ...events],
  },
  build(parts, { workers }) {
    const { metrics } = parts.context;
    const counter = (name: string) =>
      metrics.counter({
        name: `ephemeral_volume_controller_${name}`,
        help: "Number of PersistentVolumeClaim creation requests",
        stability: "ALPHA",
      });
    const deps: Deps = {
      pods: parts.informer(Pods),
      claims: parts.informer(PersistentVolumeClaims),
      claimsApi: parts.client.resource(PersistentVolumeClaims),
      recorder: parts.recorder("ephemeral_volume"),
      creates: counter("create_total"),
      failures: counter("create_failures_total"),
    };
    addClaimIndex(deps.pods);
    const queue = parts.queue({ name: "ephemeral_volume" });
    parts.enqueue(deps.pods, queue, { on: ["add"], when: needsClaims });
    parts.handle(deps.claims, {
      onDelete(claim) {
        for (const pod of podsOfClaim(deps.pods, objectKey(claim)).filter(needsClaims)) {
          queue.add(objectKey(pod), eventCause(PersistentVolumeClaims, "delete", claim));
        }
      },
    });
    parts.work({ queue, workers, sync: (key, signal) => syncPod(key, deps, signal) });
  },
});
