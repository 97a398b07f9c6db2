// How the owner references of an object changed, by UID.
// Upstream: pkg/controller/garbagecollector/graph_builder.go, referencesDiffs, addUnblockedOwnersToDeleteQueue.

import type { OwnerReference } from "#api/meta.ts";

export interface OwnerChanges {
  readonly added: readonly OwnerReference[];
  readonly removed: readonly OwnerReference[];
  readonly changed: readonly { readonly from: OwnerReference; readonly to: OwnerReference }[];
}

/** Of several references to one UID the last old one is compared, and each new one after the first counts as added. */
export function ownerChanges(before: readonly OwnerReference[], after: readonly OwnerReference[]): OwnerChanges {
  const remaining = new Map(before.map((reference) => [reference.uid, reference]));
  const added: OwnerReference[] = [];
  const changed: { from: OwnerReference; to: OwnerReference }[] = [];
  for (const to of after) {
    const from = remaining.get(to.uid);
    if (from === undefined) added.push(to);
    else if (!isSameReference(from, to)) changed.push({ from, to });
    remaining.delete(to.uid);
  }
  return { added, removed: [...remaining.values()], changed };
}

/** The UIDs of the owners that this object no longer blocks. */
export function unblockedOwners({ removed, changed }: OwnerChanges): readonly string[] {
  return [
    ...removed.filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true),
    ...changed
      .filter(({ from, to }) => from.blockOwnerDeletion === true && to.blockOwnerDeletion !== true)
      .map(({ to }) => to),
  ].map(({ uid }) => uid);
}

/** The order must be the same too. */
export function isSameReferences(a: readonly OwnerReference[] = [], b: readonly OwnerReference[] = []): boolean {
  return a.length === b.length && a.every((reference, i) => isSameReference(reference, b[i] as OwnerReference));
}

function isSameReference(a: OwnerReference, b: OwnerReference): boolean {
  return (
    a.apiVersion === b.apiVersion &&
    a.kind === b.kind &&
    a.name === b.name &&
    a.uid === b.uid &&
    a.controller === b.controller &&
    a.blockOwnerDeletion === b.blockOwnerDeletion
  );
}
