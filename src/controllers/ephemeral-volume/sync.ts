// Syncs one pod: creates each claim that its ephemeral volumes need. The first failure ends the sync.
// Upstream: pkg/controller/volume/ephemeral/controller.go, syncHandler.

import { Pods } from "#api/generated/resources/core-v1.ts";
import type { PersistentVolumeClaim, Pod, Volume } from "#api/generated/types/core-v1.ts";
import type { ObjectKey } from "#api/object.ts";
import { newControllerRef } from "#api/owner-refs.ts";
import type { Stored } from "#api/resource.ts";
import { errorMessage } from "#base/errors.ts";
import type { Counter } from "#base/metrics.ts";
import type { ResourceClient } from "#client/client.ts";
import { ephemeralClaimName, isClaimOfPod } from "#families/volumes/pod-claims.ts";
import type { SharedInformer } from "#informers/informer.ts";
import { type EventRecorder, referenceTo } from "#kit/events/recorder.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";

export interface Deps {
  readonly pods: SharedInformer<Stored<Pod>>;
  readonly claims: SharedInformer<Stored<PersistentVolumeClaim>>;
  readonly claimsApi: ResourceClient<Stored<PersistentVolumeClaim>>;
  readonly recorder: EventRecorder;
  readonly creates: Counter;
  readonly failures: Counter;
}

export function needsClaims({ metadata, spec }: Stored<Pod>): boolean {
  return (
    metadata.deletionTimestamp === undefined && (spec?.volumes ?? []).some(({ ephemeral }) => ephemeral !== undefined)
  );
}

export async function syncPod(key: ObjectKey, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const pod = deps.pods.lister.get(key);
  if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return done;
  for (const volume of pod.spec?.volumes ?? []) {
    try {
      await ensureClaim(pod, volume, deps, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      const what = `ephemeral volume ${volume.name}: ${errorMessage(error)}`;
      deps.recorder.event(referenceTo(pod, Pods), "Warning", "FailedBinding", what);
      throw new Error(`pod ${key}, ${what}`, { cause: error });
    }
  }
  return done;
}

async function ensureClaim(pod: Stored<Pod>, volume: Volume, deps: Deps, signal: AbortSignal): Promise<void> {
  if (volume.ephemeral === undefined) return;
  const { namespace } = pod.metadata;
  const name = ephemeralClaimName(pod, volume);
  const known = deps.claims.lister.get(`${namespace}/${name}`);
  if (known !== undefined) {
    if (isClaimOfPod(known, pod)) return;
    throw new Error(
      `PVC ${namespace}/${name} was not created for pod ${namespace}/${pod.metadata.name} (pod is not owner)`,
    );
  }
  const { metadata: { annotations, labels } = {}, spec = {} } = volume.ephemeral.volumeClaimTemplate ?? {};
  const metadata = {
    name,
    ...(annotations === undefined ? {} : { annotations }),
    ...(labels === undefined ? {} : { labels }),
    ownerReferences: [newControllerRef(pod, Pods)],
  };
  deps.creates.inc([]);
  try {
    await deps.claimsApi.create({ namespace, object: { metadata, spec } }, signal);
  } catch (error) {
    deps.failures.inc([]);
    throw new Error(`create PVC ${name}: ${errorMessage(error)}`, { cause: error });
  }
}
