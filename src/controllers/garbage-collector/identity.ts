// The coordinates of an object: the fields of an owner reference, and the namespace. Two references may give one UID
// different coordinates, because users write owner references by hand. The UID alone therefore does not identify an
// owner.
// Upstream: pkg/controller/garbagecollector/graph.go, objectReference.

import type { OwnerReference } from "#api/meta.ts";
import { compareText } from "#kit/order.ts";

export interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

type Coordinates = Pick<Identity, "apiVersion" | "kind" | "name" | "uid">;

/** The identity that an owner reference claims for an owner in this namespace. */
export function identityOfOwner({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): Identity {
  return { apiVersion, kind, namespace, name, uid };
}

/** Equal except for the namespace, which owner references do not carry. */
export function hasSameCoordinates(a: Coordinates, b: Coordinates): boolean {
  return a.uid === b.uid && a.name === b.name && a.kind === b.kind && a.apiVersion === b.apiVersion;
}

export function isSameIdentity(a: Identity, b: Identity): boolean {
  return hasSameCoordinates(a, b) && a.namespace === b.namespace;
}

/** By kind and apiVersion first, so that the order of kinds does not depend on their scope. */
// Upstream: pkg/controller/garbagecollector/graph_builder.go, referenceLessThan.
export function compareIdentities(a: Identity, b: Identity): number {
  return (
    compareText(a.kind, b.kind) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.namespace, b.namespace) ||
    compareText(a.name, b.name) ||
    compareText(a.uid, b.uid)
  );
}

/** The text in events and errors. */
export function identityText({ apiVersion, kind, namespace, name, uid }: Identity): string {
  return `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
}
