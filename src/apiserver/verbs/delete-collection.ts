// DELETE of a collection: every object that a list would return.
// Upstream: k8s.io/apiserver/pkg/registry/generic/registry/store.go, DeleteCollection

import type { KubeObject, ListMeta } from "#api/object.ts";
import { isNotFound } from "#api/status-error.ts";
import type { HttpResponse } from "#base/http.ts";
import type { ResourceCall, ServerCore } from "../core.ts";
import { parseListOptions } from "../list-options.ts";
import { negotiationRules } from "../negotiation-rules.ts";
import { respondWithList } from "../rendering.ts";
import { negotiate } from "../representation.ts";
import { selectionOf } from "../selection.ts";
import { deleteObject } from "../write/delete-object.ts";
import { readDeleteOptions } from "./delete.ts";
import { listPage } from "./list.ts";

const PAGE_SIZE = 10_000;

export async function deleteCollection(
  core: ServerCore,
  call: ResourceCall,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const { context, endpoint } = call;
  const representation = negotiate(context, negotiationRules(call));
  const listOptions = parseListOptions(context.query);
  const selection = selectionOf(endpoint, call.namespace, listOptions);
  const options = await readDeleteOptions(core, call);
  // Even for an empty collection.
  endpoint.row.beforeDelete?.(call, options);
  const deleted: KubeObject[] = [];
  let page = listOptions.limit > 0 ? listOptions : { ...listOptions, limit: PAGE_SIZE };
  let metadata: ListMeta | undefined;
  for (;;) {
    const found = await listPage(core, call, page, selection, signal);
    metadata ??= found.metadata;
    for (const object of found.objects) {
      const { name = "", namespace = "" } = object.metadata ?? {};
      try {
        await deleteObject(core, { ...call, name, namespace }, options, signal);
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
      deleted.push(object);
    }
    const more = found.metadata.continue;
    if (listOptions.limit > 0 || more === undefined) break;
    page = { ...page, continue: more, resourceVersion: "", resourceVersionMatch: "" };
  }
  return respondWithList(context, endpoint, representation, deleted, metadata);
}
