// Lists in pages and joins them. Each page is transformed as it arrives, so that at most one page is held
// untransformed.
// Upstream: client-go/tools/pager/pager.go, ListPager.list

import type { KubeList } from "#api/object.ts";
import type { StoredObject } from "#api/resource.ts";
import { isExpired } from "#api/status-error.ts";
import type { ListRequest } from "#client/client.ts";

export interface PagedList<T> {
  readonly kind: string | undefined;
  readonly apiVersion: string | undefined;
  readonly items: readonly T[];
  readonly resourceVersion: string;
  /** The server did answer in pages. */
  readonly isPaginated: boolean;
}

export async function listAllPages<T extends StoredObject>(
  request: ListRequest,
  fetchPage: (request: ListRequest) => Promise<KubeList<T>>,
): Promise<PagedList<T>> {
  let first: KubeList<T> | undefined;
  let isPaginated = false;
  const items: T[] = [];
  for (let next = request; ; ) {
    let page: KubeList<T>;
    try {
      page = await fetchPage(next);
    } catch (error) {
      if (next.continue === undefined || !isExpired(error)) throw error;
      const { limit: _, ...unpaged } = request;
      return whole(await fetchPage(unpaged), isPaginated);
    }
    const token = page.metadata?.continue;
    if (!first && !token) return whole(page, isPaginated);
    first ??= page;
    for (const item of page.items ?? []) items.push(item);
    if (!token) return { ...whole(first, isPaginated), items };
    isPaginated = true;
    const { resourceVersion: _, resourceVersionMatch: __, ...rest } = next;
    next = { ...rest, continue: token };
  }
}

function whole<T>(list: KubeList<T>, isPaginated: boolean): PagedList<T> {
  return {
    kind: list.kind,
    apiVersion: list.apiVersion,
    items: list.items ?? [],
    resourceVersion: list.metadata?.resourceVersion ?? "",
    isPaginated,
  };
}
