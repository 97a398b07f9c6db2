// Endpoints by identity: addresses, host name and target object. All other fields may change in place.
// Upstream: k8s.io/endpointslice/util/endpointset.go; controller_utils.go, EndpointsEqualBeyondHash.

import type { ObjectReference } from "#api/generated/types/core-v1.ts";
import type { Endpoint } from "#api/generated/types/discovery-v1.ts";

export class EndpointSet {
  readonly #endpoints = new Map<string, Endpoint>();

  get size(): number {
    return this.#endpoints.size;
  }

  /** Of two equal endpoints the last one wins. */
  add(endpoint: Endpoint): void {
    this.#endpoints.set(identityOf(endpoint), endpoint);
  }

  get(endpoint: Endpoint): Endpoint | undefined {
    return this.#endpoints.get(identityOf(endpoint));
  }

  /** Removes the wanted form of this endpoint. */
  take(endpoint: Endpoint): Endpoint | undefined {
    const id = identityOf(endpoint);
    const wanted = this.#endpoints.get(id);
    if (wanted !== undefined) this.#endpoints.delete(id);
    return wanted;
  }

  /** Removes up to this many, first in first out; upstream picks them at random. */
  takeSome(count: number): readonly Endpoint[] {
    const taken: Endpoint[] = [];
    for (const [id, endpoint] of this.#endpoints) {
      if (taken.length >= count) break;
      this.#endpoints.delete(id);
      taken.push(endpoint);
    }
    return taken;
  }
}

function identityOf({ addresses, hostname = "", targetRef }: Endpoint): string {
  const { namespace = "", name = "" } = targetRef ?? {};
  return JSON.stringify([(addresses ?? []).toSorted(), hostname, namespace, name]);
}

/** Equal in all fields that are not part of the identity. Hints are not compared. */
export function isSameState(a: Endpoint, b: Endpoint): boolean {
  return (
    a.nodeName === b.nodeName &&
    a.zone === b.zone &&
    a.conditions?.ready === b.conditions?.ready &&
    a.conditions?.serving === b.conditions?.serving &&
    a.conditions?.terminating === b.conditions?.terminating &&
    isSameTarget(a.targetRef, b.targetRef)
  );
}

/** Compares everything except the resource version. */
function isSameTarget(a: ObjectReference | undefined, b: ObjectReference | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  const parts = ["kind", "namespace", "name", "uid", "apiVersion", "fieldPath"] as const;
  return parts.every((part) => (a[part] ?? "") === (b[part] ?? ""));
}
