// Syncs one claim that requests more storage: sets who expands its volume. External resizers expand volumes of CSI
// drivers and of migrated plugins. FlexVolumes are expanded on nodes, which this controller prepares.
// Upstream: pkg/controller/volume/expand/expand_controller.go, syncHandler and expand.

import { PersistentVolumeClaims, PersistentVolumes } from "#api/generated/resources/core-v1.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "#api/generated/types/core-v1.ts";
import { goQuote } from "#api/go-text.ts";
import type { ObjectKey } from "#api/object.ts";
import { quantityFromWire } from "#api/quantity-parser.ts";
import type { Stored, StoredCluster } from "#api/resource.ts";
import type { Clock } from "#base/clock.ts";
import { errorMessage } from "#base/errors.ts";
import type { ResourceClient } from "#client/client.ts";
import { driverOfPlugin, migratedPluginOf } from "#families/volumes/migration.ts";
import { type OperationMetrics, timed } from "#families/volumes/operation-metrics.ts";
import type { SharedInformer } from "#informers/informer.ts";
import { type EventRecorder, type EventType, referenceTo } from "#kit/events/recorder.ts";
import { strategicPatch } from "#kit/strategic-patch.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";
import { expanded, isExpandedOnNode, nextStep, pendingOnNodes, resizing } from "./expansion.ts";

const RESIZER = "volume.kubernetes.io/storage-resizer";
const PRE_RESIZE_CAPACITY = "volume.alpha.kubernetes.io/pre-resize-capacity";

export type Claim = Stored<PersistentVolumeClaim>;
type Volume = StoredCluster<PersistentVolume>;

export interface Deps {
  readonly clock: Clock;
  readonly claims: SharedInformer<Claim>;
  readonly claimsApi: ResourceClient<Claim>;
  readonly volumesApi: ResourceClient<Volume>;
  readonly recorder: EventRecorder;
  readonly metrics: OperationMetrics;
}

export async function syncClaim(key: ObjectKey, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const claim = deps.claims.lister.get(key);
  if (claim === undefined) return done;
  const volume = await readVolume(claim, deps, signal);
  const claimRef = volume.spec?.claimRef;
  if (claimRef?.namespace !== claim.metadata.namespace || claimRef.uid !== claim.metadata.uid) {
    throw new Error(`persistent Volume is not bound to PVC being updated : ${key}`);
  }
  const isMarked = volume.metadata.annotations?.[PRE_RESIZE_CAPACITY] !== undefined;
  if (!wantsMore(claim) && !isMarked) return done;
  const plugin = migratedPluginOf(volume.spec ?? {});
  const driver = volume.spec?.flexVolume?.driver;
  if (plugin !== undefined) await askResizer(key, claim, plugin, deps, signal);
  else if (driver === undefined) {
    recordEvent(claim, "Normal", "ExternalExpanding", "waiting for an external controller to expand this PVC", deps);
  } else if (isMarked && isExpandedOnNode(claim, volume)) await unmark(volume, deps, signal);
  else await expand(claim, volume, driver, deps, signal);
  return done;
}

async function readVolume({ spec }: Claim, deps: Deps, signal: AbortSignal): Promise<Volume> {
  const name = spec?.volumeName ?? "";
  try {
    return await deps.volumesApi.get({ name }, signal);
  } catch (error) {
    throw new Error(`failed to get PV ${goQuote(name)}: ${errorMessage(error)}`, { cause: error });
  }
}

function wantsMore({ spec, status }: Claim): boolean {
  return quantityFromWire(spec?.resources?.requests?.storage).cmp(quantityFromWire(status?.capacity?.storage)) > 0;
}

async function askResizer(
  key: ObjectKey,
  claim: Claim,
  plugin: string,
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  const message = `CSI migration enabled for ${plugin}; waiting for external resizer to expand the pvc`;
  recordEvent(claim, "Normal", "ExternalExpanding", message, deps);
  try {
    await patchClaim(claim, withResizer(claim, driverOfPlugin(plugin) ?? ""), deps, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    const problem = `error setting resizer annotation to pvc ${key}, with error ${errorMessage(error)}`;
    recordEvent(claim, "Warning", "ExternalExpanding", problem, deps);
    throw new Error(problem, { cause: error });
  }
}

function recordEvent(claim: Claim, type: EventType, reason: string, message: string, deps: Deps): void {
  deps.recorder.event(referenceTo(claim, PersistentVolumeClaims), type, reason, message);
}

function withResizer(claim: Claim, resizer: string): Claim {
  const { metadata } = claim;
  return { ...claim, metadata: { ...metadata, annotations: { ...metadata.annotations, [RESIZER]: resizer } } };
}

/** A FlexVolume: the volume object gets its new size at once, and a node does the work. */
async function expand(claim: Claim, volume: Volume, driver: string, deps: Deps, signal: AbortSignal): Promise<void> {
  try {
    const what = { plugin: driver, operation: "expand_volume" };
    await timed(what, deps.metrics, deps.clock, () => expandFlexVolume(claim, volume, driver, deps, signal));
  } catch (error) {
    if (!signal.aborted) recordEvent(claim, "Warning", "VolumeResizeFailed", errorMessage(error), deps);
    throw error;
  }
}

async function expandFlexVolume(
  claim: Claim,
  volume: Volume,
  driver: string,
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  const { namespace, name } = claim.metadata;
  const key = `${namespace}/${name}`;
  const step = nextStep(claim, volume);
  if (step.kind === "wait") return;
  if (step.kind === "request-node-expansion") {
    await requestNodeExpansion(claim, volume, deps, signal);
    return;
  }
  const { size } = step;
  const status = resizing(claim.status ?? {}, size, deps.clock.now());
  const begun = await explained(
    `error updating pvc ${key} with resize in progress`,
    patchClaim(claim, { ...withResizer(claim, driver), status }, deps, signal),
  );
  const grown = { ...volume, spec: { ...volume.spec, capacity: { ...volume.spec?.capacity, storage: size } } };
  const patched = await explained(`error updating pv for pvc ${key}`, patchVolume(volume, grown, deps, signal));
  if ((volume.spec?.volumeMode ?? "Filesystem") === "Filesystem") {
    await explained(`error marking pvc ${key} for node expansion`, requestNodeExpansion(begun, patched, deps, signal));
    return;
  }
  const finished = { ...begun, status: expanded(begun.status ?? {}, size) };
  const ended = await explained(`error marking pvc ${key} as resized`, patchClaim(begun, finished, deps, signal));
  recordEvent(ended, "Normal", "VolumeResizeSuccessful", `ExpandVolume succeeded for volume ${key}`, deps);
}

/** The volume records the size before: if the claim is deleted meanwhile, the next claim starts with it. */
async function requestNodeExpansion(claim: Claim, volume: Volume, deps: Deps, signal: AbortSignal): Promise<void> {
  const { namespace, name } = claim.metadata;
  const status = pendingOnNodes(claim.status ?? {}, deps.clock.now());
  await explained(
    `error marking pvc ${namespace}/${name} for node expansion`,
    patchClaim(claim, { ...claim, status }, deps, signal),
  );
  const { metadata } = volume;
  if (metadata.annotations?.[PRE_RESIZE_CAPACITY] !== undefined) return;
  const before = quantityFromWire(claim.status?.capacity?.storage).toString();
  const annotations = { ...metadata.annotations, [PRE_RESIZE_CAPACITY]: before };
  await explained(
    `error updating pv ${metadata.name} annotation (${PRE_RESIZE_CAPACITY}) with pre-resize capacity ${before}`,
    patchVolume(volume, { ...volume, metadata: { ...metadata, annotations } }, deps, signal),
  );
}

async function unmark(volume: Volume, deps: Deps, signal: AbortSignal): Promise<void> {
  const { [PRE_RESIZE_CAPACITY]: _, ...annotations } = volume.metadata.annotations ?? {};
  await patchVolume(volume, { ...volume, metadata: { ...volume.metadata, annotations } }, deps, signal);
}

/** The patch carries the resource version, so that a stale one is refused. */
function patchClaim(claim: Claim, changed: Claim, deps: Deps, signal: AbortSignal): Promise<Claim> {
  const { namespace, name, resourceVersion } = claim.metadata;
  const difference: { readonly metadata?: object } = strategicPatch(claim, changed, PersistentVolumeClaims) ?? {};
  const patch = { ...difference, metadata: { ...difference.metadata, resourceVersion } };
  const request = { namespace, name, type: "strategic", patch, subresource: "status" } as const;
  return explained(`patchPVCStatus failed to patch PVC ${goQuote(name)}`, deps.claimsApi.patch(request, signal));
}

function patchVolume(volume: Volume, changed: Volume, deps: Deps, signal: AbortSignal): Promise<Volume> {
  const { name } = volume.metadata;
  const patch = strategicPatch(volume, changed, PersistentVolumes) ?? {};
  const write = deps.volumesApi.patch({ name, type: "strategic", patch }, signal);
  return explained(`error Patching PV ${goQuote(name)} with error `, write);
}

async function explained<T>(what: string, step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    throw new Error(`${what}: ${errorMessage(error)}`, { cause: error });
  }
}
