// Applies the reclaim policy to a released volume. Deleting and recycling run beside the workers.
// Upstream: pkg/controller/volume/persistentvolume/pv_controller.go, reclaimVolume, deleteVolumeOperation,
// isVolumeReleased.

import { goQuote } from "#api/go-text.ts";
import { errorMessage } from "#base/errors.ts";
import {
  hasAnnotation,
  IN_TREE_FINALIZER,
  MIGRATED_TO,
  PROVISIONED_BY,
} from "#families/volumes/binding-annotations.ts";
import type { Volume } from "#families/volumes/claim-matching.ts";
import { driverOfPlugin } from "#families/volumes/migration.ts";
import { timed } from "#families/volumes/operation-metrics.ts";
import { classOfVolume } from "#rules/storage-classes.ts";
import type { Deps } from "./deps.ts";
import { deleteHostPath } from "./host-path.ts";
import { isMigrated } from "./migration-marks.ts";
import { deleterNamed, deleterOf, type VolumePlugin } from "./plugins.ts";
import { recycle } from "./recycling.ts";
import { isReleased } from "./released.ts";
import { failVolume, putVolume } from "./writes.ts";

export async function reclaim(volume: Volume, deps: Deps, signal: AbortSignal): Promise<void> {
  if (isMigrated(volume)) return;
  const { name, uid } = volume.metadata;
  switch (volume.spec?.persistentVolumeReclaimPolicy) {
    case "Retain":
      return;
    case "Recycle":
      deps.operations.start(`recycle-${name}[${uid}]`, (signal) => recycle(volume, deps, signal));
      return;
    case "Delete":
      deps.metrics.times.begin(name, provisionerOf(volume, deps), "delete");
      deps.operations.start(`delete-${name}[${uid}]`, (signal) => deleteCounted(volume, deps, signal));
      return;
    default: {
      const message = "Volume has unrecognized PersistentVolumeReclaimPolicy";
      await failVolume(volume, "VolumeUnknownReclaimPolicy", message, deps, signal);
    }
  }
}

async function deleteCounted(volume: Volume, deps: Deps, signal: AbortSignal): Promise<void> {
  try {
    await deleteVolume(volume, deps, signal);
  } catch (error) {
    deps.metrics.times.fail(volume.metadata.name);
    throw error;
  }
}

async function deleteVolume(volume: Volume, deps: Deps, signal: AbortSignal): Promise<void> {
  const { name } = volume.metadata;
  const deleter = findDeleter(volume);
  if (typeof deleter === "string") await failVolume(volume, "VolumeFailedDelete", deleter, deps, signal);
  if (typeof deleter === "string" || deleter === undefined) return;
  const live = await deps.volumesApi.get({ name }, signal).catch((error: unknown) => {
    deps.log.v(3).info("Error reading persistent volume", { volumeName: name, err: errorMessage(error) });
  });
  if (live === undefined || !isReleased(live, deps)) return;
  try {
    await deleteStorage(volume, deleter, deps, signal);
  } catch (error) {
    if (!signal.aborted) await failVolume(volume, "VolumeFailedDelete", errorMessage(error), deps, signal);
    throw error;
  }
  await deps.volumesApi.delete({ name }, signal).catch((error: unknown) => {
    deps.log.v(3).info("Failed to delete volume from database", { volumeName: name, err: errorMessage(error) });
  });
}

/** Deletes the storage first, then removes the finalizer that kept the volume until then. */
export async function deleteStorage(
  volume: Volume,
  { name }: VolumePlugin,
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  const path = volume.spec?.hostPath?.path;
  if (path === undefined) {
    const problem = "spec.PersistentVolumeSource.HostPath is nil";
    throw new Error(`failed to create deleter for volume ${goQuote(volume.metadata.name)}: ${problem}`);
  }
  const what = { plugin: name, operation: "volume_delete" };
  await timed(what, deps.metrics.operations, deps.clock, () => deleteHostPath(path, deps.files));
  const live = await deps.volumesApi.get({ name: volume.metadata.name }, signal);
  const { finalizers = [] } = live.metadata;
  if (!finalizers.includes(IN_TREE_FINALIZER)) return;
  const rest = finalizers.filter((finalizer) => finalizer !== IN_TREE_FINALIZER);
  try {
    await putVolume({ ...live, metadata: { ...live.metadata, finalizers: rest } }, deps, signal);
  } catch (error) {
    throw new Error(`persistent volume controller can't update finalizer: ${errorMessage(error)}`, { cause: error });
  }
}

/** The plugin that deletes the volume; undefined for an external one; a string says why there is none. */
function findDeleter(volume: Volume): VolumePlugin | string | undefined {
  const provisioner = volume.metadata.annotations?.[PROVISIONED_BY] ?? "";
  if (provisioner !== "") {
    const deleter = deleterNamed(provisioner);
    return typeof deleter === "string" && !provisioner.startsWith("kubernetes.io/") ? undefined : deleter;
  }
  if (hasAnnotation(volume, MIGRATED_TO) || volume.spec?.csi !== undefined) return undefined;
  const deleter = deleterOf(volume.spec);
  if (typeof deleter !== "string") return deleter;
  return `error getting deleter volume plugin for volume ${goQuote(volume.metadata.name)}: ${deleter}`;
}

/**
 * The provisioner's name in the metrics of deletion. For external ones it comes from the class, because annotations are
 * not reliable.
 */
function provisionerOf(volume: Volume, deps: Deps): string {
  const deleter = findDeleter(volume);
  if (typeof deleter === "string") return "N/A";
  if (deleter !== undefined) return deleter.name;
  const provisioner = deps.classes.lister.get(classOfVolume(volume))?.provisioner;
  return provisioner === undefined ? "N/A" : (driverOfPlugin(provisioner) ?? provisioner);
}
