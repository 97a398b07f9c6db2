// Attaches and detaches through VolumeAttachment objects. The driver's external attacher reads them and answers in
// their status. Volumes of the other attachable plugins, Fibre Channel and iSCSI, need no action.
// Upstream: pkg/volume/csi/csi_attacher.go.

import type { VolumeAttachment } from "#api/generated/types/storage-v1.ts";
import type { StoredCluster } from "#api/resource.ts";
import { sha256Hex } from "#api/sha256.ts";
import { isAlreadyExists, isNotFound } from "#api/status-error.ts";
import type { Clock } from "#base/clock.ts";
import { errorMessage } from "#base/errors.ts";
import { BackoffSequence } from "#base/go-backoff.ts";
import type { Rng } from "#base/rng.ts";
import type { ResourceClient } from "#client/client.ts";
import { csiSourceOf, type VolumeSpec } from "#families/volumes/volume-spec.ts";
import type { Lister } from "#informers/informer.ts";

const ANSWER_WAIT_MAX_MS = 2 * 60_000;
const POLLS = { durationMs: 500, factor: 1.05, jitter: 0.1, steps: 2 ** 31 - 1, capMs: 7000 };

export interface AttacherDeps {
  readonly attachments: Lister<StoredCluster<VolumeAttachment>>;
  readonly attachmentsApi: Pick<ResourceClient<StoredCluster<VolumeAttachment>>, "get" | "create" | "delete">;
  readonly clock: Clock;
  readonly rng: Rng;
}

export function attachmentName(driver: string, handle: string, node: string): string {
  return `csi-${sha256Hex(`${handle}${driver}${node}`)}`;
}

/** Resolves once the driver reports that the volume is attached. Throws the driver's error, or a timeout. */
export async function attach(spec: VolumeSpec, node: string, deps: AttacherDeps, signal: AbortSignal): Promise<void> {
  const source = csiSourceOf(spec);
  if (source === undefined) return;
  const { driver = "", volumeHandle = "" } = source;
  const name = attachmentName(driver, volumeHandle, node);
  if (deps.attachments.get(name) === undefined) {
    const object = { metadata: { name }, spec: { attacher: driver, nodeName: node, source: attachmentSource(spec) } };
    try {
      await deps.attachmentsApi.create({ object }, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      if (!isAlreadyExists(error)) {
        throw new Error(`kubernetes.io/csi: attacher.Attach failed: ${errorMessage(error)}`, { cause: error });
      }
    }
  }
  // Also waits for an attachment that the cache does not have yet, or has lost.
  const isAnswered = (): boolean => {
    const attachment = deps.attachments.get(name);
    return attachment !== undefined && isAttachedOrThrow(attachment);
  };
  const timeout = `timed out waiting for external-attacher of ${driver} CSI driver to attach volume ${volumeHandle}`;
  await poll(isAnswered, timeout, deps, signal);
}

function attachmentSource({ persistentVolume, isInline }: VolumeSpec) {
  if (isInline) return { inlineVolumeSpec: persistentVolume?.spec ?? {} };
  return { persistentVolumeName: persistentVolume?.metadata?.name ?? "" };
}

function isAttachedOrThrow({ metadata, status }: StoredCluster<VolumeAttachment>): boolean {
  if (metadata.deletionTimestamp !== undefined) throw new Error("volume attachment is being deleted");
  if (status?.attached) return true;
  if (status?.attachError !== undefined) throw new Error(status.attachError.message ?? "");
  return false;
}

/** volume: the plugin's name for the volume. Resolves once the VolumeAttachment is deleted. */
export async function detach(volume: string, node: string, deps: AttacherDeps, signal: AbortSignal): Promise<void> {
  const [driver = "", volumeHandle = "", ...rest] = volume.split("^");
  if (volumeHandle === "" || rest.length > 0) throw new Error("volumeName missing expected data");
  const name = attachmentName(driver, volumeHandle, node);
  try {
    await deps.attachmentsApi.delete({ name }, signal);
  } catch (error) {
    if (isNotFound(error)) return;
    if (signal.aborted) throw error;
    const what = `kubernetes.io/csi: detacher.Detach failed to delete VolumeAttachment [${name}]`;
    throw new Error(`${what}: ${errorMessage(error)}`, { cause: error });
  }
  const isGone = (): boolean => {
    const attachment = deps.attachments.get(name);
    if (attachment?.status?.detachError !== undefined) throw new Error(attachment.status.detachError.message ?? "");
    return attachment === undefined;
  };
  // Upstream does not know the driver at this point.
  const timeout = `timed out waiting for external-attacher of unknown CSI driver to detach volume ${volumeHandle}`;
  await poll(isGone, timeout, deps, signal);
}

/** Whether the VolumeAttachment exists and is attached. An unreadable one counts as missing. */
export async function isStillAttached(
  spec: VolumeSpec,
  node: string,
  deps: AttacherDeps,
  signal: AbortSignal,
): Promise<boolean> {
  const source = csiSourceOf(spec);
  if (source === undefined) return true;
  const name = attachmentName(source.driver ?? "", source.volumeHandle ?? "", node);
  const cached = deps.attachments.get(name);
  if (cached !== undefined) return cached.status?.attached ?? false;
  try {
    return (await deps.attachmentsApi.get({ name }, signal)).status?.attached ?? false;
  } catch (error) {
    if (signal.aborted) throw error;
    return false;
  }
}

async function poll(
  isDone: () => boolean,
  timeout: string,
  { clock, rng }: AttacherDeps,
  signal: AbortSignal,
): Promise<void> {
  const delays = new BackoffSequence(POLLS, rng);
  const endsAt = clock.monotonicMs() + ANSWER_WAIT_MAX_MS;
  for (;;) {
    const restMs = endsAt - clock.monotonicMs();
    const delayMs = delays.nextMs();
    await clock.sleep(Math.min(delayMs, restMs), signal);
    if (delayMs > restMs) throw new Error(timeout);
    if (isDone()) return;
  }
}
