// Recycling: a pod mounts the volume and deletes its content; then the volume is available again.
// Upstream: pkg/controller/volume/persistentvolume/pv_controller.go, recycleVolumeOperation.

import { errorMessage } from "#base/errors.ts";
import type { Volume } from "#families/volumes/claim-matching.ts";
import { hasStoppedUsingVolumes, podsOfClaim } from "#families/volumes/pod-claims.ts";
import { compareText } from "#kit/order.ts";
import { claimKeyOf } from "./binding.ts";
import type { Deps } from "./deps.ts";
import { pluginOf } from "./plugins.ts";
import { recyclerPod, runRecyclerPod } from "./recycler-pod.ts";
import { isReleased } from "./released.ts";
import { failVolume, unbind, volumeEvent } from "./writes.ts";

/** Failures are reported as events and retried with the next sync of the volume; the operation itself never fails. */
export async function recycle(volume: Volume, deps: Deps, signal: AbortSignal): Promise<void> {
  try {
    await recycleVolume(volume, deps, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    deps.log.v(3).info("Can't recycle volume", { volumeName: volume.metadata.name, err: errorMessage(error) });
  }
}

async function recycleVolume(volume: Volume, deps: Deps, signal: AbortSignal): Promise<void> {
  const live = await deps.volumesApi.get({ name: volume.metadata.name }, signal);
  const claimRef = live.spec?.claimRef;
  if (claimRef === undefined || !isReleased(live, deps)) return;
  const claimKey = claimKeyOf(claimRef);
  const users = podsOfClaim(deps.pods, claimKey).filter((pod) => !hasStoppedUsingVolumes(pod));
  // A claim of that name is another one with another volume, so its pods do not use this volume.
  if (users.length > 0 && deps.knownClaims.get(claimKey) === undefined) {
    const names = users.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort(compareText);
    volumeEvent(volume, "Normal", "VolumeFailedRecycle", `Volume is used by pods: ${names.join(",")}`, deps);
    return;
  }
  const plugin = pluginOf(live.spec);
  if (plugin === undefined) {
    await failVolume(live, "VolumeFailedRecycle", "No recycler plugin found for the volume!", deps, signal);
    return;
  }
  try {
    await runRecyclerPod(recyclerPod(live, plugin, deps.plugins), live, deps, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    await failVolume(live, "VolumeFailedRecycle", `Recycle failed: ${errorMessage(error)}`, deps, signal);
    return;
  }
  volumeEvent(live, "Normal", "VolumeRecycled", "Volume recycled", deps);
  await unbind(live, deps, signal);
}
