// Executes a plan: creates, updates, deletes, each kind until the first failure. New slices take over the names of
// slices that would be deleted, which saves a write.
// Upstream: k8s.io/endpointslice/reconciler.go, finalize; pkg/controller/endpointslicemirroring, finalize,
// recycleSlices.

import { isNamespaceTerminating } from "#api/status-error.ts";
import { errorMessage } from "#base/errors.ts";
import type { ResourceClient } from "#client/client.ts";
import type { EndpointSlice, SliceDraft } from "./model.ts";
import type { SlicePlan } from "./packing.ts";
import type { SliceTracker } from "./tracker.ts";

export interface SliceWriter {
  readonly api: ResourceClient<EndpointSlice>;
  readonly tracker: SliceTracker;
  readonly count: (operation: "create" | "update" | "delete") => void;
}

interface SliceOwner {
  /** The owner in error messages: "Service team-a/web". */
  readonly text: string;
  readonly namespace: string;
  /** Nothing is created for an owner that is being deleted, because the garbage collector deletes its slices. */
  readonly isDeleted: boolean;
}

/** mayTake: whether a new slice may take the name of this one. */
export function recycled(
  { create, update, remove }: SlicePlan,
  mayTake: (slice: EndpointSlice) => boolean = () => true,
): SlicePlan {
  const toCreate = [...create];
  const toUpdate = [...update];
  const toRemove = remove.filter((slice) => {
    const index = toCreate.findLastIndex(({ addressType }) => addressType === slice.addressType);
    const [draft] = index >= 0 && mayTake(slice) ? toCreate.splice(index, 1) : [];
    if (draft === undefined) return true;
    toUpdate.push({ ...draft, metadata: { ...draft.metadata, name: slice.metadata.name } });
    return false;
  });
  return { create: toCreate, update: toUpdate, remove: toRemove };
}

/** False: the namespace is being deleted, and nothing more was written. */
export async function writeSlices(
  { create, update, remove }: SlicePlan,
  owner: SliceOwner,
  { api, tracker, count }: SliceWriter,
  signal: AbortSignal,
): Promise<boolean> {
  const { namespace, text } = owner;
  if (!owner.isDeleted) {
    for (const object of create) {
      try {
        tracker.wrote(await api.create({ namespace, object: withoutEmptyLists(object) }, signal));
      } catch (error) {
        if (isNamespaceTerminating(error)) return false;
        throw new Error(`failed to create EndpointSlice for ${text}: ${errorMessage(error)}`, { cause: error });
      }
      count("create");
    }
  }
  for (const draft of update) {
    const object = withoutEmptyLists(draft) as EndpointSlice; // with a taken-over name it has no version: it overwrites
    const written = await failing(api.update({ object }, signal), "update", draft, text);
    tracker.wrote(written);
    count("update");
  }
  for (const slice of remove) {
    await failing(api.delete({ namespace, name: slice.metadata.name }, signal), "delete", slice, text);
    tracker.expectDeletion(slice);
    count("delete");
  }
  return true;
}

/** The server would record an empty list as a field that the controller owns. */
function withoutEmptyLists(slice: SliceDraft): SliceDraft {
  const { endpoints, ports, ...rest } = slice;
  return {
    ...rest,
    ...(endpoints && endpoints.length > 0 ? { endpoints } : {}),
    ...(ports && ports.length > 0 ? { ports } : {}),
  };
}

async function failing<T>(call: Promise<T>, verb: string, { metadata }: SliceDraft, text: string): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw new Error(`failed to ${verb} ${metadata.name} EndpointSlice for ${text}: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}
