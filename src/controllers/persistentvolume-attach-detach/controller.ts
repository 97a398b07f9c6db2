/**
 * Attaches volumes to the nodes of the pods that use them, and detaches them when no pod does.
 *
 * Keeps true:  each attachable volume of a pod on a managed node is attached there and listed in the node's status. An
 *              unused volume is removed from that list, then detached once the node has unmounted it. No node gets an
 *              exclusive volume while another one has it.
 * Requeues:    compares desired and actual state every 100 ms; an operation that failed backs off from 500 ms to 122 s;
 *              checks for missing VolumeAttachments every minute, and all pods every three minutes.
 * Upstream:    pkg/controller/volume/attachdetach; pkg/volume/csi/csi_attacher.go; pkg/volume/util/operationexecutor.
 * Deviations:  no FlexVolume. At the start, an attachment that the driver reports and the node does not report keeps an
 *              exclusive volume from other nodes, and counts as mounted only if the node reports it. Patches of node
 *              status are made from the newest node that the controller knows. A volume in a node's status that no
 *              plugin can detach stays there. All volumes of a pod that is gone are dropped at once.
 */

import { Nodes, PersistentVolumeClaims, PersistentVolumes, Pods } from "#api/generated/resources/core-v1.ts";
import { CSIDrivers, CSINodes, VolumeAttachments } from "#api/generated/resources/storage-v1.ts";
import { untilIdle, Wakeup } from "#base/idle-loop.ts";
import { until } from "#base/wait.ts";
import { operationMetrics } from "#families/volumes/operation-metrics.ts";
import { addClaimIndex, hasStoppedUsingVolumes, podsOfClaim } from "#families/volumes/pod-claims.ts";
import { create, events, get, patch, remove } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import type { ControllerParts } from "#kit/controller-parts.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { done } from "#kit/worker-loop.ts";
import { ActualState } from "./actual-state.ts";
import { DesiredState } from "./desired-state.ts";
import { forcedDetaches, registerVolumeCounts } from "./metrics.ts";
import { NodeStatusWriter } from "./node-status.ts";
import { Operations } from "./operations.ts";
import { type ReconcileDeps, reconcile, verifyAttachments } from "./reconcile.ts";
import { noteNode, type RecoveryDeps, recover } from "./recovery.ts";
import { addMissing, dropUnwanted, forgetPod, notePod } from "./wanted-volumes.ts";

const RECONCILE_PERIOD_MS = 100;
const DROP_PERIOD_MS = 60_000;
const ADD_PERIOD_MS = 3 * 60_000;

export interface AttachDetachOptions {
  /** --disable-attach-detach-reconcile-sync */
  readonly isVerifyDisabled: boolean;
  /** --attach-detach-reconcile-sync-period */
  readonly verifyPeriodMs: number;
  /** --disable-force-detach-on-timeout */
  readonly isForceDetachDisabled: boolean;
}

export const attachDetachController: ControllerDescriptor<AttachDetachOptions> = keyedController({
  name: "persistentvolume-attach-detach-controller",
  contract: {
    watches: [Pods, Nodes, PersistentVolumeClaims, PersistentVolumes, CSINodes, CSIDrivers, VolumeAttachments],
    reads: [get(Nodes), get(VolumeAttachments)],
    writes: [create(VolumeAttachments), remove(VolumeAttachments), patch(Nodes, "status"), ...events],
  },
  build(parts, options) {
    const { context, client, log } = parts;
    const { clock, metrics, rng } = context;
    const pods = parts.informer(Pods);
    const nodes = parts.informer(Nodes);
    const claims = parts.informer(PersistentVolumeClaims);
    const attachments = parts.informer(VolumeAttachments);
    // Upstream reads these for migrated plugins; all plugins are migrated on all nodes now.
    parts.informer(CSINodes);
    addClaimIndex(pods);

    const changes = new Wakeup();
    const actual = new ActualState(changes);
    const desired = new DesiredState(changes);
    const operations = new Operations(clock, log);
    const found: RecoveryDeps = {
      actual,
      desired,
      log,
      pods: pods.lister,
      nodes: nodes.lister,
      claims: claims.lister,
      volumes: parts.informer(PersistentVolumes).lister,
      drivers: parts.informer(CSIDrivers).lister,
      attachments: attachments.lister,
    };
    const nodesApi = client.resource(Nodes);
    const deps: ReconcileDeps = {
      ...found,
      operations,
      attacher: {
        clock,
        rng: rng.fork(parts.identity),
        attachments: attachments.lister,
        attachmentsApi: client.resource(VolumeAttachments),
      },
      nodeStatus: new NodeStatusWriter(actual, nodes.lister, nodesApi, log),
      nodesApi,
      recorder: parts.recorder(),
      operationMetrics: operationMetrics(metrics),
      forcedDetaches: forcedDetaches(metrics),
      isForceDetachDisabled: options.isForceDetachDisabled,
      clock,
    };
    registerVolumeCounts(metrics, actual, found);

    parts.handle(pods, {
      onAdd: (pod) => notePod(pod, found),
      onUpdate: (_, pod) => notePod(pod, found),
      onDelete: (pod) => forgetPod(pod, found),
    });
    parts.handle(nodes, {
      onAdd: (node) => {
        noteNode(node, actual, desired);
        // A recreated node reports no volumes.
        actual.markStale(node.metadata.name);
      },
      onUpdate: (_, node) => noteNode(node, actual, desired),
      onDelete: ({ metadata, status }) => {
        desired.removeNode(metadata.name);
        actual.setInUse(metadata.name, status?.volumesInUse ?? []);
      },
    });

    const queue = parts.queue({ name: "pvcs" });
    parts.enqueue(claims, queue, { on: ["add", "update"] });
    parts.loop((signal) => operations.run(signal));
    runLoops(parts, options, deps, found, changes);
    parts.work({
      queue,
      sync: async (key) => {
        const claim = claims.lister.get(key);
        if (claim?.status?.phase !== "Bound" || !claim.spec?.volumeName) return done;
        for (const pod of podsOfClaim(pods, key)) if (!hasStoppedUsingVolumes(pod)) notePod(pod, found);
        return done;
      },
    });
  },
});

/** The reconciler recovers the existing state before its first pass and before any claim is synced. */
function runLoops(
  parts: ControllerParts,
  { isVerifyDisabled, verifyPeriodMs }: AttachDetachOptions,
  deps: ReconcileDeps,
  found: RecoveryDeps,
  changes: Wakeup,
): void {
  const { clock } = parts.context;
  parts.loop(async (signal) => {
    recover(found);
    let verifiedAt = clock.monotonicMs();
    let hasRested = false;
    const isVerified = !isVerifyDisabled && verifyPeriodMs >= 1000;
    const isIdle = (): boolean => deps.actual.isSettled && deps.desired.isEmpty;
    const pass = async (): Promise<void> => {
      await reconcile(deps, signal);
      // While the loop rested there was no attachment to verify.
      if (hasRested) verifiedAt = clock.monotonicMs();
      hasRested = isIdle();
      if (!isVerified || clock.monotonicMs() - verifiedAt <= verifyPeriodMs) return;
      verifyAttachments(deps);
      verifiedAt = clock.monotonicMs();
    };
    await untilIdle(pass, { periodMs: RECONCILE_PERIOD_MS, clock, isIdle, wakeup: changes }, signal);
  });
  let addedAt = Number.NEGATIVE_INFINITY;
  parts.loop((signal) => {
    const populate = (): void => {
      dropUnwanted(found);
      if (clock.monotonicMs() - addedAt < ADD_PERIOD_MS) return;
      addMissing(found);
      addedAt = clock.monotonicMs();
    };
    return until(populate, DROP_PERIOD_MS, clock, signal);
  });
}
