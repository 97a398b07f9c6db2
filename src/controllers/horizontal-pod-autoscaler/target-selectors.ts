// The selectors of the targets of all autoscalers, to find pods that more than one of them scales.
// Upstream: pkg/controller/util/selectors/bimultimap.go, as far as the autoscaler uses it.

import { nothing, type Selector } from "#api/label-selector.ts";
import { type ObjectKey, splitKey } from "#api/object.ts";
import { compareText } from "#kit/order.ts";
import type { StoredPod } from "./model.ts";

export class TargetSelectors {
  /** By namespace: each sync asks about one. */
  readonly #selectors = new Map<string, Map<ObjectKey, Selector>>();

  /** Returns true if the autoscaler was not registered. It selects nothing until its target is read. */
  register(key: ObjectKey): boolean {
    const { namespace } = splitKey(key);
    const near = this.#selectors.get(namespace) ?? new Map<ObjectKey, Selector>();
    if (near.has(key)) return false;
    this.#selectors.set(namespace, near.set(key, nothing));
    return true;
  }

  forget(key: ObjectKey): void {
    const { namespace } = splitKey(key);
    const near = this.#selectors.get(namespace);
    near?.delete(key);
    if (near?.size === 0) this.#selectors.delete(namespace);
  }

  /** Sets the selector of a registered autoscaler. */
  set(key: ObjectKey, selector: Selector): void {
    const near = this.#selectors.get(splitKey(key).namespace);
    if (near?.has(key)) near.set(key, selector);
  }

  /** The autoscalers of the namespace that select any of these pods, in the order of their names. */
  selecting(namespace: string, pods: readonly StoredPod[]): readonly ObjectKey[] {
    return [...(this.#selectors.get(namespace) ?? [])]
      .filter(([, selector]) => pods.some(({ metadata }) => selector.matches(metadata.labels)))
      .map(([key]) => key)
      .sort(compareText);
  }
}
