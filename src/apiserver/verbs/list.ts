// GET of a collection: the latest state, a given revision, or page by page on one snapshot.
// Upstream: k8s.io/apiserver/pkg/storage/interfaces.go, ValidateListOptions; storage/etcd3/store.go, GetList

import type { KubeObject, ListMeta } from "#api/object.ts";
import { ApiError, newBadRequest, newExpired, newResourceVersionTooLarge } from "#api/status-error.ts";
import type { HttpResponse } from "#base/http.ts";
import { decodeContinue, encodeContinue } from "../continue-token.ts";
import type { ResourceCall, ServerCore } from "../core.ts";
import { type ListOptions, parseListOptions } from "../list-options.ts";
import { collectionRules } from "../negotiation-rules.ts";
import { respondWithList } from "../rendering.ts";
import { negotiate } from "../representation.ts";
import { parseRevision, RETRY_AFTER_SECONDS, waitForRevision } from "../resource-version.ts";
import { type Selection, selectionOf } from "../selection.ts";
import type { ListQuery, StoredVersion, Table } from "../storage/storage.ts";

export async function list(core: ServerCore, call: ResourceCall, signal: AbortSignal): Promise<HttpResponse> {
  const { context, endpoint } = call;
  const representation = negotiate(context, collectionRules(call));
  const options = parseListOptions(context.query);
  const selection = selectionOf(endpoint, call.namespace, options, call.name);
  const { objects, metadata } = await listPage(core, call, options, selection, signal);
  return respondWithList(context, endpoint, representation, objects, metadata);
}

export interface Page {
  readonly objects: readonly KubeObject[];
  readonly metadata: ListMeta;
}

export async function listPage(
  core: ServerCore,
  call: ResourceCall,
  options: ListOptions,
  selection: Selection,
  signal: AbortSignal,
): Promise<Page> {
  const start = startOf(options, selection);
  if (start.minimum > core.storage.revision) await waitForRevision(core, start.minimum, signal);
  const table = core.tableOf(call.endpoint.row);
  const exact = start.exact === 0 ? undefined : start.exact;
  if (exact !== undefined) checkExactRevision(core, table, exact, start.from, options);
  // Without a snapshot the answer is the current state, and the next pages stay on it.
  const revision = exact ?? core.storage.revision;
  const at = exact !== undefined && exact < core.storage.revision ? { revision: exact } : {};
  // A continued list is scanned, even for a single name.
  if (selection.key !== undefined && options.continue === "") {
    const found = exact === undefined ? table.get(selection.key) : single(table, selection.key, at);
    const objects = found !== undefined && selection.matches(found) ? [found.object] : [];
    return { objects, metadata: { resourceVersion: String(revision) } };
  }
  // As upstream, whose cache ignores the limit if any state is acceptable.
  const isLimited = options.limit > 0 && (options.resourceVersion !== "0" || call.endpoint.row.isUncached);
  const limit = isLimited ? options.limit : Number.POSITIVE_INFINITY;
  const from = start.from === "" ? {} : { from: selection.prefix + start.from };
  return collect(table, { prefix: selection.prefix, ...from, ...at }, selection, limit, revision);
}

function collect(table: Table, query: ListQuery, selection: Selection, limit: number, revision: number): Page {
  const objects: KubeObject[] = [];
  let lastKey = "";
  let hasMore = false;
  for (const version of table.scan(query)) {
    if (objects.length >= limit) {
      hasMore = true;
      break;
    }
    lastKey = version.key;
    if (selection.matches(version)) objects.push(version.object);
  }
  const resourceVersion = String(revision);
  if (!hasMore) return { objects, metadata: { resourceVersion } };
  const next = `${lastKey}\0`;
  const more = encodeContinue({ revision, startKey: next.slice(selection.prefix.length) });
  // With a selector the number of remaining items is unknown.
  const rest = selection.isEmpty ? { remainingItemCount: table.count({ ...query, from: next }) } : {};
  return { objects, metadata: { resourceVersion, continue: more, ...rest } };
}

function single(table: Table, key: string, at: { revision?: number }): StoredVersion | undefined {
  for (const version of table.scan({ prefix: key, ...at })) return version.key === key ? version : undefined;
  return undefined;
}

interface ListStart {
  /** The revision to read at; 0: the latest. */
  readonly exact: number;
  /** The revision that the store must have reached. */
  readonly minimum: number;
  /** Where to continue, relative to the prefix; "" from the start. */
  readonly from: string;
}

function startOf(options: ListOptions, selection: Selection): ListStart {
  const { resourceVersion, resourceVersionMatch } = options;
  if (options.continue !== "") {
    const token = decodeContinue(options.continue);
    if (resourceVersion !== "" && resourceVersion !== "0") {
      throw newBadRequest("specifying resource version is not allowed when using continue");
    }
    return { exact: Math.max(token.revision, 0), minimum: 0, from: token.startKey };
  }
  const parsed = parseRevision(resourceVersion);
  if ("error" in parsed) throw newBadRequest(`invalid resource version: ${parsed.error}`);
  const isExact =
    resourceVersionMatch === "Exact" ||
    (resourceVersionMatch === "" && options.limit > 0 && selection.key === undefined);
  return isExact ? { exact: parsed.revision, minimum: 0, from: "" } : { exact: 0, minimum: parsed.revision, from: "" };
}

const EXPIRED = "The resourceVersion for the provided list is too old.";
const INCONSISTENT_CONTINUE =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without " +
  "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. " +
  "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted " +
  "between the time the first chunk was returned and now may show up in the list.";

function checkExactRevision(core: ServerCore, table: Table, exact: number, from: string, options: ListOptions): void {
  const current = core.storage.revision;
  if (exact > current) throw newResourceVersionTooLarge(String(exact), String(current), RETRY_AFTER_SECONDS);
  if (exact >= table.compactedRevision) return;
  if (options.continue === "") throw newExpired(EXPIRED);
  const { status } = newExpired(INCONSISTENT_CONTINUE);
  const token = encodeContinue({ revision: -1, startKey: from });
  throw new ApiError({ ...status, metadata: { ...status.metadata, continue: token } });
}
