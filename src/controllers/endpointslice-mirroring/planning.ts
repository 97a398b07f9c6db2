// The writes that make slices mirror an Endpoints object: one slice for each mirror, rebuilt as a whole.
// Upstream: pkg/controller/endpointslicemirroring/reconciler.go, reconcileByPortMapping, totalChanges.

import { semanticEqual } from "#api/equality.ts";
import { Endpoints as EndpointsResource } from "#api/generated/resources/core-v1.ts";
import { newControllerRef } from "#api/owner-refs.ts";
import { TRIGGER_TIME, withoutKeys } from "#families/service-pods/model.ts";
import type { PortCounts } from "#families/slices/efficiency.ts";
import { isSameState } from "#families/slices/endpoint-set.ts";
import {
  type EndpointSlice,
  endpointsOf,
  MANAGED_BY,
  namePrefix,
  SERVICE_NAME,
  type SliceDraft,
} from "#families/slices/model.ts";
import type { SlicePlan } from "#families/slices/packing.ts";
import { CONTROLLER_NAME, type Endpoints } from "./model.ts";
import { type Mirror, mirrorKey } from "./wanted-mirrors.ts";

type StringMap = Readonly<Record<string, string>>;

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

interface Changes {
  readonly added: number;
  readonly updated: number;
  readonly removed: number;
}

export interface MirrorPlan extends SlicePlan, Changes {
  /** Slices that need no write. */
  readonly right: readonly EndpointSlice[];
  readonly counts: PortCounts;
}

export function planMirrors(
  endpoints: Endpoints,
  mirrors: ReadonlyMap<string, Mirror>,
  slices: readonly EndpointSlice[],
  endpointsMax: number,
): MirrorPlan {
  const existing = Map.groupBy(slices, ({ addressType, ports }) => mirrorKey(addressType, ports));
  const create: SliceDraft[] = [];
  const update: SliceDraft[] = [];
  const remove: EndpointSlice[] = [];
  const right: EndpointSlice[] = [];
  const counts = new Map<string, { readonly endpoints: number; readonly slices: number }>();
  const totals = { added: 0, updated: 0, removed: 0 };
  for (const [key, mirror] of mirrors) {
    const known = existing.get(key) ?? [];
    existing.delete(key);
    const wantedCount = mirror.endpoints.size;
    const first = wantedCount === 0 ? undefined : known[0];
    const gone = known.filter((slice) => slice !== first);
    remove.push(...gone);
    counts.set(key, { endpoints: wantedCount, slices: wantedCount === 0 ? 0 : 1 });
    if (wantedCount === 0) {
      for (const slice of gone) totals.removed += endpointsOf(slice).length;
      continue;
    }
    const changes = changesOf(first, mirror);
    totals.added += changes.added;
    totals.updated += changes.updated;
    totals.removed += changes.removed;
    if (first === undefined) create.push(mirrorSlice(endpoints, mirror, endpointsMax));
    else if (isUnchanged(changes) && hasMetadataOf(first, endpoints)) right.push(first);
    else update.push(mirrorSlice(endpoints, mirror, endpointsMax, first.metadata.name));
  }
  for (const unwanted of existing.values()) remove.push(...unwanted);
  return { create, update, remove, right, counts, ...totals };
}

const isUnchanged = ({ added, updated, removed }: Changes): boolean => added + updated + removed === 0;

function changesOf(slice: EndpointSlice | undefined, { endpoints: wanted }: Mirror): Changes {
  const stored = slice === undefined ? [] : endpointsOf(slice);
  const matches = stored.flatMap((endpoint) => {
    const current = wanted.get(endpoint);
    return current === undefined ? [] : [isSameState(current, endpoint)];
  });
  return {
    added: wanted.size - matches.length,
    updated: matches.filter((isSame) => !isSame).length,
    removed: stored.length - matches.length,
  };
}

/** True if labels, annotations and the owner reference match. */
function hasMetadataOf({ metadata }: EndpointSlice, endpoints: Endpoints): boolean {
  const { name, uid, labels } = endpoints.metadata;
  const isOutlived = (metadata.ownerReferences ?? []).some(
    (owner) => owner.kind === "Endpoints" && owner.name === name && owner.uid !== uid,
  );
  return (
    !isOutlived &&
    semanticEqual(withoutKeys(metadata.labels, MANAGED_BY, SERVICE_NAME), labels ?? {}) &&
    semanticEqual(metadata.annotations ?? {}, copiedAnnotations(endpoints))
  );
}

const copiedAnnotations = ({ metadata }: Endpoints): StringMap =>
  withoutKeys(metadata.annotations, TRIGGER_TIME, LAST_APPLIED);

/** sliceName: the name of the slice to rebuild. */
function mirrorSlice(endpoints: Endpoints, mirror: Mirror, endpointsMax: number, sliceName?: string): SliceDraft {
  const { name, namespace, labels } = endpoints.metadata;
  const annotations = copiedAnnotations(endpoints);
  return {
    metadata: {
      ...(sliceName === undefined ? { generateName: namePrefix(name) } : { name: sliceName }),
      namespace,
      labels: { ...labels, [SERVICE_NAME]: name, [MANAGED_BY]: CONTROLLER_NAME },
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
      ownerReferences: [newControllerRef(endpoints, EndpointsResource)],
    },
    addressType: mirror.addressType,
    ports: mirror.ports,
    endpoints: mirror.endpoints.takeSome(endpointsMax),
  };
}
