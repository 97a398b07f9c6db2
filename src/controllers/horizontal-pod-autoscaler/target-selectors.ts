// The selectors of the targets of all autoscalers, to find pods that more than one of them scales.
// Upstream: pkg/controller/util/selectors/bimultimap.go, as far as the autoscaler uses it.

import { nothing, type Selector } from "#api/label-selector.ts";
import { type ObjectKey, splitKey } from "#api/object.ts";
import { compareText } from "#kit/order.ts";
import type { StoredPod } from "./model.ts";

export class TargetSelectors {
  readonly #selectors = new Map<ObjectKey, Selector>();

  /** Returns true if the autoscaler was not registered. It selects nothing until its target is read. */
  register(key: ObjectKey): boolean {
    if (this.#selectors.has(key)) return false;
    this.#selectors.set(key, nothing);
    return true;
  }

  forget(key: ObjectKey): void {
    this.#selectors.delete(key);
  }

  /** Sets the selector of a registered autoscaler. */
  set(key: ObjectKey, selector: Selector): void {
    if (this.#selectors.has(key)) this.#selectors.set(key, selector);
  }

  /** The autoscalers of the namespace that select any of these pods, in the order of their names. */
  selecting(namespace: string, pods: readonly StoredPod[]): readonly ObjectKey[] {
    return [...this.#selectors]
      .filter(([key, selector]) => {
        const isNear = splitKey(key).namespace === namespace;
        return isNear && pods.some(({ metadata }) => selector.matches(metadata.labels));
      })
      .map(([key]) => key)
      .sort(compareText);
  }
}
