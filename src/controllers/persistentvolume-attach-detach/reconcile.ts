// One pass of the reconciler: detaches unwanted volumes, attaches wanted ones, and updates the nodes' status. Detaches
// come first, so that the volume of a moved pod can follow it.
// Upstream: pkg/controller/volume/attachdetach/reconciler/reconciler.go; pkg/volume/util/operationexecutor.

import { Pods } from "#api/generated/resources/core-v1.ts";
import type { Node } from "#api/generated/types/core-v1.ts";
import type { StoredCluster } from "#api/resource.ts";
import { isNotFound } from "#api/status-error.ts";
import type { Clock } from "#base/clock.ts";
import { errorMessage } from "#base/errors.ts";
import type { Logger } from "#base/log.ts";
import type { Counter } from "#base/metrics.ts";
import type { ResourceClient } from "#client/client.ts";
import { type OperationMetrics, timed } from "#families/volumes/operation-metrics.ts";
import {
  isAttachablePlugin,
  isMultiAttachAllowed,
  qualifiedPluginName,
  specName,
  splitUniqueName,
  type VolumeSpec,
} from "#families/volumes/volume-spec.ts";
import type { Lister } from "#informers/informer.ts";
import { type EventRecorder, type EventType, referenceTo } from "#kit/events/recorder.ts";
import type { ActualState, Attachment } from "./actual-state.ts";
import { type AttacherDeps, attach, detach, isStillAttached } from "./attacher.ts";
import { conflictMessage } from "./conflict.ts";
import { decideAttach, decideDetach } from "./decisions.ts";
import type { DesiredState, WantedVolume } from "./desired-state.ts";
import type { NodeStatusWriter } from "./node-status.ts";
import type { OperationKey, Operations } from "./operations.ts";
import { attacherOf, type WantedDeps } from "./wanted-volumes.ts";

export interface ReconcileDeps {
  readonly actual: ActualState;
  readonly desired: DesiredState;
  readonly operations: Operations;
  readonly attacher: AttacherDeps;
  readonly nodeStatus: NodeStatusWriter;
  readonly nodes: Lister<StoredCluster<Node>>;
  readonly nodesApi: Pick<ResourceClient<StoredCluster<Node>>, "get">;
  readonly drivers: WantedDeps["drivers"];
  readonly recorder: EventRecorder;
  readonly operationMetrics: OperationMetrics;
  readonly forcedDetaches: Counter;
  readonly isForceDetachDisabled: boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

export async function reconcile(deps: ReconcileDeps, signal: AbortSignal): Promise<void> {
  for (const attachment of deps.actual.attachments()) {
    if (!deps.desired.wants(attachment.volume, attachment.node)) await startDetach(attachment, deps, signal);
  }
  for (const wanted of deps.desired.volumes()) startAttach(wanted, deps);
  await deps.nodeStatus.writeAll(signal);
}

/** Operations on an exclusive volume exclude each other in the whole cluster. */
function keyOf(volume: string, node: string, spec: VolumeSpec | undefined): OperationKey {
  return isMultiAttachAllowed(spec) ? { volume, node } : { volume };
}

async function startDetach(attachment: Attachment, deps: ReconcileDeps, signal: AbortSignal): Promise<void> {
  const { actual, operations, clock, log } = deps;
  const { volume, node, spec, isInUse } = attachment;
  const key = keyOf(volume, node, spec);
  if (!operations.mayStart(key, "volume_detach") || actual.state(volume, node) === "detached") return;
  const { plugin = "", name = "" } = splitUniqueName(volume) ?? {};
  // Deviation: if no plugin can detach a volume, upstream removes it from the node's status and adds it again, for
  // ever.
  if (!isAttachablePlugin(plugin)) return;
  const decision = decideDetach({
    isInUse,
    waitedMs: actual.requestDetach(volume, node, clock.monotonicMs()),
    node: deps.nodes.get(node),
    isForceDetachDisabled: deps.isForceDetachDisabled,
  });
  if (decision.kind === "wait") return;
  actual.retract(volume, node);
  if (!(await deps.nodeStatus.write(node, signal))) {
    actual.report(volume, node);
    return;
  }
  const isStarted = operations.start(key, "volume_detach", (signal) =>
    perform("volume_detach", plugin, spec, deps, async () => {
      try {
        if (decision.forced === undefined) await assertUnmounted(attachment, deps, signal);
        if (plugin === "kubernetes.io/csi") await detach(name, node, deps.attacher, signal);
      } catch (error) {
        if (signal.aborted) throw error;
        actual.markUncertain(volume, spec, node, "failed");
        throw new Error(`DetachVolume.Detach failed ${onNode(attachment)}: ${errorMessage(error)}`, { cause: error });
      }
      actual.markDetached(volume, node);
      log.info("DetachVolume.Detach succeeded", { volume, node });
    }),
  );
  if (!isStarted) actual.report(volume, node);
  else if (decision.forced !== undefined) deps.forcedDetaches.inc([decision.forced]);
}

/** Checks with a live read, not the cache, that the node does not use the volume. */
async function assertUnmounted(attachment: Attachment, deps: ReconcileDeps, signal: AbortSignal): Promise<void> {
  let node: StoredCluster<Node>;
  try {
    node = await deps.nodesApi.get({ name: attachment.node }, signal);
  } catch (error) {
    if (isNotFound(error)) return;
    throw error;
  }
  if (node.status?.volumesInUse?.includes(attachment.volume)) {
    throw new Error("volume is still in use by node, according to Node status");
  }
}

function onNode({ volume, node, spec }: Attachment): string {
  return `for volume "${spec === undefined ? "nil" : specName(spec)}" (UniqueName: "${volume}") on node "${node}"`;
}

function startAttach(wanted: WantedVolume, deps: ReconcileDeps): void {
  const { actual, desired, operations } = deps;
  const { name: volume, node, spec } = wanted;
  const key = keyOf(volume, node, spec);
  if (operations.isRunning(key)) return;
  const holders = actual.holders(volume).filter((holder) => holder !== node);
  const decision = decideAttach(actual.state(volume, node), isMultiAttachAllowed(spec), holders);
  if (decision === "done") actual.cancelDetach(volume, node);
  else if (decision === "attach") {
    operations.start(key, "volume_attach", (signal) => performAttach(wanted, deps, signal));
  } else if (!wanted.isConflictReported) {
    const users = desired.podsOn(holders, volume);
    for (const pod of wanted.pods.values()) {
      const message = `Waiting for detach for volume "${specName(spec)}" ${conflictMessage(pod, users)}`;
      deps.recorder.event(referenceTo(pod, Pods), "Warning", "FailedAttachVolume", message);
    }
    desired.markConflictReported(volume, node);
  }
}

async function performAttach(wanted: WantedVolume, deps: ReconcileDeps, signal: AbortSignal): Promise<void> {
  const { actual, recorder, log } = deps;
  const { name: volume, node, spec } = wanted;
  const pods = [...wanted.pods.values()];
  const recordEvent = (type: EventType, reason: string, message: string): void => {
    for (const pod of pods) recorder.event(referenceTo(pod, Pods), type, reason, message);
  };
  const fail = (what: string, error?: unknown): never => {
    const message = `${what} for volume "${specName(spec)}" ${error === undefined ? "" : `: ${errorMessage(error)}`}`;
    recordEvent("Warning", "FailedAttachVolume", message);
    throw new Error(message, { cause: error });
  };
  const plugin = attacherOf(spec, deps.drivers);
  await perform("volume_attach", plugin ?? "UnknownAttachableVolumePlugin", spec, deps, async () => {
    if (plugin === undefined) fail("AttachVolume.FindAttachablePluginBySpec failed");
    try {
      await attach(spec, node, deps.attacher, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      actual.markUncertain(volume, spec, node, "failed");
      fail("AttachVolume.Attach failed", error);
    }
    actual.markAttached(volume, spec, node);
    recordEvent("Normal", "SuccessfulAttachVolume", `AttachVolume.Attach succeeded for volume "${specName(spec)}" `);
    log.info("AttachVolume.Attach succeeded", { volume, node });
  });
}

function perform(
  operation: string,
  plugin: string,
  spec: VolumeSpec | undefined,
  { operationMetrics, clock }: ReconcileDeps,
  task: () => Promise<void>,
): Promise<void> {
  const what = { plugin: qualifiedPluginName(plugin, spec), operation, isMigrated: spec?.isMigrated ?? false };
  return timed(what, operationMetrics, clock, task);
}

/** Verifies that attached volumes still are attached. Volumes known only from a node's status are skipped. */
export function verifyAttachments(deps: ReconcileDeps): void {
  const confirmed = deps.actual.attachments().filter(({ doubt }) => doubt === undefined);
  for (const [node, attachments] of Map.groupBy(confirmed, (attachment) => attachment.node)) {
    deps.operations.spawn((signal) => {
      const what = { plugin: "<n/a>", operation: "verify_volumes_are_attached_per_node" };
      return timed(what, deps.operationMetrics, deps.clock, () => verifyNode(node, attachments, deps, signal));
    });
  }
}

async function verifyNode(
  node: string,
  attachments: readonly Attachment[],
  deps: ReconcileDeps,
  signal: AbortSignal,
): Promise<void> {
  for (const { volume, spec } of attachments) {
    if (spec === undefined || attacherOf(spec, deps.drivers) === undefined) continue;
    if (await isStillAttached(spec, node, deps.attacher, signal)) continue;
    deps.log.v(1).info("The volume is no longer attached, therefore it was marked as detached", { volume, node });
    deps.actual.markDetached(volume, node);
  }
}
