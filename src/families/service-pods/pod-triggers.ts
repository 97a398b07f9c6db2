// Which Services an event about a pod concerns. Go computes this in workers of a second queue, because it is expensive
// with many Services in a namespace. With a single thread that has no benefit, so the handler computes it.
// Upstream: k8s.io/endpointslice/util/controller_utils.go, GetPodUpdateProjectionKey, GetServicesToUpdate.

import { semanticEqual } from "#api/equality.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { type Labels, selectorFromSet } from "#api/label-selector.ts";
import { objectKey } from "#api/object.ts";
import type { EventHandler, SharedInformer } from "#informers/informer.ts";
import type { KeyQueue } from "#kit/key-queue.ts";
import { parsedSelectors } from "#kit/parsed-selectors.ts";
import { type ChangeType, eventCause } from "#kit/trace.ts";
import { isPodReady } from "#rules/pod-status.ts";
import { hasSelector, type Pod, type Service } from "./model.ts";

/** The keys of the Services are queued after the batch period. */
export function podTriggers(
  services: Pick<SharedInformer<Service>, "lister">,
  queue: KeyQueue,
  batchPeriodMs: number,
): EventHandler<Pod> {
  const selectorOf = parsedSelectors(({ spec }: Service) => selectorFromSet(spec?.selector));
  const selecting = (namespace: string, labels: Labels): Set<Service> =>
    new Set(
      services.lister.list(undefined, namespace).filter((service) => {
        const selector = hasSelector(service) ? selectorOf(service) : undefined;
        return selector !== undefined && !(selector instanceof Error) && selector.matches(labels);
      }),
    );
  const queueAll = (event: ChangeType, pod: Pod, concerned: Iterable<Service>): void => {
    const cause = eventCause(Pods, event, pod);
    for (const service of concerned) queue.addAfter(objectKey(service), batchPeriodMs, cause);
  };
  const selectingPod = ({ metadata }: Pod): Set<Service> => selecting(metadata.namespace, metadata.labels ?? {});
  return {
    onAdd: (pod) => queueAll("add", pod, selectingPod(pod)),
    onUpdate(old, pod) {
      if (pod.metadata.resourceVersion === old.metadata.resourceVersion) return; // Services have a separate resync
      const isMoved = membershipChanged(old, pod);
      const isChanged = endpointChanged(old, pod);
      if (!isMoved) {
        if (isChanged) queueAll("update", pod, selectingPod(pod));
        return;
      }
      const [before, after] = [selectingPod(old), selectingPod(pod)];
      queueAll("update", pod, isChanged ? before.union(after) : before.symmetricDifference(after));
    },
    onDelete: (pod) => queueAll("delete", pod, selectingPod(pod)),
  };
}

/** True if the set of Services that select the pod may have changed. */
function membershipChanged(old: Pod, pod: Pod): boolean {
  return (
    !semanticEqual(old.metadata.labels, pod.metadata.labels) ||
    (old.spec?.hostname ?? "") !== (pod.spec?.hostname ?? "") ||
    (old.spec?.subdomain ?? "") !== (pod.spec?.subdomain ?? "")
  );
}

/** True if the pod's endpoint may have changed. As upstream, each update of a pod that is being deleted counts. */
function endpointChanged(old: Pod, pod: Pod): boolean {
  if (old.metadata.deletionTimestamp !== undefined || pod.metadata.deletionTimestamp !== undefined) return true;
  if (isPodReady(old) !== isPodReady(pod)) return true;
  const [before, after] = [old.status?.podIPs ?? [], pod.status?.podIPs ?? []];
  return before.length !== after.length || before.some(({ ip }, i) => ip !== after[i]?.ip);
}
