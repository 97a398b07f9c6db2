// Removes duplicate owner references of a request, with a warning.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/rest.go, dedupOwnerReferencesAndAddWarning

import { semanticEqual } from "#api/equality.ts";
import type { OwnerReference } from "#api/meta.ts";
import type { KubeObject } from "#api/object.ts";
import { withMeta } from "#api/object-meta.ts";
import { addWarning, type RequestContext } from "../request-context.ts";

export function dedupeOwnerReferences(
  object: KubeObject,
  context: RequestContext,
  isAfterAdmission: boolean,
): KubeObject {
  const references = object.metadata?.ownerReferences;
  if (references === undefined || references.length < 2) return object;
  const kept: OwnerReference[] = [];
  const duplicates: string[] = [];
  for (const reference of references) {
    const isKnown = kept.some((known) => known.uid === reference.uid && semanticEqual(known, reference));
    if (isKnown) duplicates.push(reference.uid);
    else kept.push(reference);
  }
  if (duplicates.length === 0) return object;
  const when = isAfterAdmission ? " after mutating admission happens" : "";
  addWarning(
    context,
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such ` +
      `requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${duplicates.join(", ")}`,
  );
  return withMeta(object, { ownerReferences: kept });
}
