// Changes a pod's status with a strategic merge patch. The patch carries the UID, so that the server refuses it for a
// new pod of the same name.
// Upstream: pkg/util/pod/pod.go, PatchPodStatus; pkg/api/v1/pod/util.go, CalculatePodStatusObservedGeneration.

import { Pods } from "#api/generated/resources/core-v1.ts";
import type { Pod, PodCondition, PodStatus } from "#api/generated/types/core-v1.ts";
import type { Stored } from "#api/resource.ts";
import type { FeatureGates } from "#base/feature-gates.ts";
import type { ResourceClient } from "#client/client.ts";
import { strategicPatch } from "./strategic-patch.ts";

/** Sends no request when the status is unchanged. */
export async function patchPodStatus(
  pods: ResourceClient<Stored<Pod>>,
  pod: Stored<Pod>,
  status: PodStatus,
  signal: AbortSignal,
): Promise<void> {
  const change = strategicPatch(pod, { ...pod, status }, Pods);
  if (change === undefined) return;
  const { namespace, name, uid } = pod.metadata;
  const patch = { metadata: { uid }, ...change };
  await pods.patch({ namespace, name, type: "strategic", patch, subresource: "status" }, signal);
}

/** The observedGeneration that a controller reports with a pod's status, as fields to spread. */
export function observedPodGeneration(
  { metadata, status }: Pod,
  gates: FeatureGates,
): Pick<PodStatus, "observedGeneration"> {
  const isTracked = gates.isEnabled("PodObservedGenerationTracking") || (status?.observedGeneration ?? 0) !== 0;
  return isTracked ? generationOf(metadata?.generation) : {};
}

/** The same for one condition. */
export function observedConditionGeneration(
  { metadata, status }: Pod,
  type: string,
  gates: FeatureGates,
): Pick<PodCondition, "observedGeneration"> {
  const old = status?.conditions?.find((condition) => condition.type === type);
  const isTracked = gates.isEnabled("PodObservedGenerationTracking") || (old?.observedGeneration ?? 0) !== 0;
  return isTracked ? generationOf(metadata?.generation) : {};
}

function generationOf(generation = 0): { readonly observedGeneration?: number } {
  return generation === 0 ? {} : { observedGeneration: generation };
}
