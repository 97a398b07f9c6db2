// Which budget an event of a pod concerns, and which pods have a DisruptionTarget condition.
// Upstream: pkg/controller/disruption/disruption.go, addPod, updatePod, deletePod, getPdbForPod.

import { ValueError } from "#api/errors.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { goQuote } from "#api/go-text.ts";
import type { Selector } from "#api/label-selector.ts";
import { objectKey } from "#api/object.ts";
import type { EventHandler } from "#informers/informer.ts";
import { referenceTo } from "#kit/events/recorder.ts";
import type { KeyQueue } from "#kit/key-queue.ts";
import { compareText } from "#kit/order.ts";
import { type ChangeType, eventCause } from "#kit/trace.ts";
import type { Budget, Deps, StoredPod } from "./model.ts";
import { STALE_REASON, staleAfterMs } from "./stale-targets.ts";

export interface PodTriggers extends Pick<Deps, "budgets" | "clock" | "log" | "recorder"> {
  readonly selectorOf: (budget: Budget) => Selector | ValueError;
  readonly queue: KeyQueue;
  readonly stalePods: KeyQueue;
}

/** Unlike most controllers, this one also handles resyncs. */
export function podTriggers(triggers: PodTriggers): EventHandler<StoredPod> {
  const { clock, queue, stalePods } = triggers;
  const enqueueBudget = (event: ChangeType, pod: StoredPod): void => {
    const budget = budgetOf(pod, triggers);
    if (budget !== undefined) queue.add(objectKey(budget), eventCause(Pods, event, pod));
  };
  const changed = (event: ChangeType, pod: StoredPod): void => {
    enqueueBudget(event, pod);
    const afterMs = staleAfterMs(pod, clock.now());
    if (afterMs !== undefined) stalePods.addAfter(objectKey(pod), afterMs, STALE_REASON);
  };
  return {
    onAdd: (pod) => changed("add", pod),
    onUpdate: (_, pod) => changed("update", pod),
    onDelete: (pod) => enqueueBudget("delete", pod),
  };
}

/** The budget of the pod; of several the first by name. A budget with an invalid selector has no pods. */
function budgetOf(pod: StoredPod, { budgets, log, recorder, selectorOf }: PodTriggers): Budget | undefined {
  const { namespace, name, labels = {} } = pod.metadata;
  const matching = budgets.lister
    .list(undefined, namespace)
    .filter((budget) => {
      const selector = selectorOf(budget);
      return !(selector instanceof ValueError) && selector.matches(labels);
    })
    .toSorted((a, b) => compareText(a.metadata.name, b.metadata.name));
  const [first] = matching;
  if (first !== undefined && matching.length > 1) {
    const chosen = goQuote(first.metadata.name);
    const where = `${goQuote(namespace)}/${goQuote(name)}`;
    const message = `Pod ${where} matches multiple PodDisruptionBudgets.  Chose ${chosen} arbitrarily.`;
    log.info(message);
    recorder.event(referenceTo(pod, Pods), "Warning", "MultiplePodDisruptionBudgets", message);
  }
  return first;
}
