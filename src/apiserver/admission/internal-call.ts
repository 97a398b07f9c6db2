// A request from the server to itself, for parts of the write path that need one.

import { assert } from "#base/assert.ts";
import type { EpochMs } from "#base/clock.ts";
import type { ResourceCall, ServerCore } from "../core.ts";
import { parseQuery } from "../query.ts";
import type { KindRow } from "../registry.ts";
import type { ResourceRequestInfo } from "../request-info.ts";
import { UNTIMED } from "../request-metrics.ts";
import { Warnings } from "../warnings.ts";

export interface InternalTarget {
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  readonly now: EpochMs;
}

/** In the kind's stored version, as the server's own user. */
export function internalCall(core: ServerCore, row: KindRow, target: InternalTarget): ResourceCall {
  const { namespace, name, subresource, now } = target;
  const { group, version } = row.stored;
  const endpoint = core.registry.endpoint(group, version, row.resource);
  assert(endpoint !== undefined, `${row.table} is not served in its stored version`);
  const info: ResourceRequestInfo = {
    isResourceRequest: true,
    path: "",
    verb: "update",
    group,
    version,
    namespace,
    resource: row.resource,
    subresource,
    name,
    segments: [],
    isWatchPath: false,
  };
  const context = {
    request: { method: "PUT", path: "", query: "", headers: { "user-agent": "kube-apiserver" } },
    info,
    query: parseQuery(""),
    receivedMs: now,
    startedMs: UNTIMED,
    series: undefined,
    user: { name: "system:apiserver", groups: ["system:masters"] },
    warnings: new Warnings(),
  };
  return { context, info, endpoint, namespace, name, subresource };
}
