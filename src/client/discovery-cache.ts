// Discovery kept in memory until it is invalidated. Group versions that failed for a transient reason are fetched again
// on the next read.
// Upstream: client-go/discovery/cached/memory/memcache.go

import { ApiError, isTooManyRequests } from "#api/status-error.ts";
import { TransportError } from "#base/http.ts";
import { type ApiResourceList, type Discovery, type GroupDocuments, groupVersionOf } from "#client/discovery.ts";
import { singleFlight } from "#client/single-flight.ts";

export interface CachedDiscovery extends Discovery {
  /** Filled since the last invalidation: another request would not find what is missing. */
  readonly isFresh: boolean;
  /** Makes no request; the next read does. */
  invalidate(): void;
}

/** A version that lists no resources is treated as not ready yet. */
export class EmptyDiscovery extends Error {
  override readonly name = "EmptyDiscovery";
}

export class UnknownGroupVersion extends Error {
  override readonly name = "UnknownGroupVersion";
  constructor(groupVersion: string) {
    super(`${groupVersion}: not found`);
  }
}

type Entry = { readonly list: ApiResourceList } | { readonly error: unknown };

interface Contents {
  readonly groups: GroupDocuments["groups"];
  readonly entries: Map<string, Entry>;
  readonly isAggregated: boolean;
}

export function cachedDiscovery(source: Discovery): CachedDiscovery {
  let contents: Contents | undefined;
  let generation = 0;

  async function fetchEntry(groupVersion: string, signal: AbortSignal): Promise<Entry> {
    try {
      const list = await source.resourcesOf(groupVersion, signal);
      if (list.resources.length > 0) return { list };
      return { error: new EmptyDiscovery(`received empty response for: ${groupVersion}`) };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      return { error };
    }
  }

  async function fill(signal: AbortSignal): Promise<Contents> {
    const { groups, lists, failed } = await source.groups(signal);
    const entries = new Map<string, Entry>();
    if (lists) {
      for (const [groupVersion, list] of lists) entries.set(groupVersion, { list });
      for (const [groupVersion, error] of failed) entries.set(groupVersion, { error });
      return { groups, entries, isAggregated: true };
    }
    const versions = groups.flatMap((group) => group.versions.map((version) => groupVersionOf(group, version)));
    const fetched = await Promise.all(versions.map((groupVersion) => fetchEntry(groupVersion, signal)));
    for (const [i, groupVersion] of versions.entries()) entries.set(groupVersion, fetched[i] as Entry);
    return { groups, entries, isAggregated: false };
  }

  const refill = singleFlight(async (signal) => {
    const startedIn = generation;
    const filled = await fill(signal);
    if (startedIn === generation) contents = filled;
    return filled;
  });

  const current = async (signal: AbortSignal): Promise<Contents> => contents ?? (await refill(signal));

  return {
    get isFresh() {
      return contents !== undefined;
    },
    invalidate() {
      generation++;
      contents = undefined;
    },
    async groups(signal) {
      const { groups, entries, isAggregated } = await current(signal);
      if (!isAggregated || entries.size === 0) return { groups, failed: new Map() };
      const lists = new Map<string, ApiResourceList>();
      const failed = new Map<string, unknown>();
      for (const [groupVersion, entry] of entries) {
        if ("list" in entry) lists.set(groupVersion, entry.list);
        else failed.set(groupVersion, entry.error);
      }
      return { groups, lists, failed };
    },
    async resourcesOf(groupVersion, signal) {
      const { entries } = await current(signal);
      let entry = entries.get(groupVersion);
      if (!entry) throw new UnknownGroupVersion(groupVersion);
      if ("error" in entry && isTransient(entry.error)) {
        entry = await fetchEntry(groupVersion, signal);
        entries.set(groupVersion, entry);
      }
      if ("error" in entry) throw entry.error;
      return entry.list;
    },
  };
}

function isTransient(error: unknown): boolean {
  if (error instanceof TransportError) return error.failure === "refused" || error.failure === "reset";
  return isTooManyRequests(error) || (error instanceof ApiError && error.code >= 500);
}
