// Reads of kinds that are computed and never stored.
// Upstream: pkg/registry/core/componentstatus/rest.go

import { newMethodNotSupported } from "#api/status-error.ts";
import { assert } from "#base/assert.ts";
import type { Observed } from "#kinds/hooks.ts";
import type { ResourceCall } from "../core.ts";
import { parseListOptions } from "../list-options.ts";
import { collectionRules, negotiationRules } from "../negotiation-rules.ts";
import { respondWithList, respondWithObject } from "../rendering.ts";
import { negotiate } from "../representation.ts";
import { selectionOf } from "../selection.ts";
import type { SubresourceHandler } from "../subresources/subresource.ts";

export const getObserved: SubresourceHandler = async (_core, call, signal) => {
  const { context, endpoint } = call;
  const representation = negotiate(context, negotiationRules(call));
  return respondWithObject(context, endpoint, representation, await observedOf(call).get(call.name, signal));
};

export const listObserved: SubresourceHandler = async (_core, call, signal) => {
  const { context, endpoint } = call;
  const representation = negotiate(context, collectionRules(call));
  const options = parseListOptions(context.query);
  if (options.isWatch) throw newMethodNotSupported(endpoint.groupResource, "watch");
  const selection = selectionOf(endpoint, call.namespace, options, call.name);
  const objects = (await observedOf(call).list(signal)).filter((object) => selection.matchesObject(object));
  return respondWithList(context, endpoint, representation, objects, {});
};

function observedOf({ endpoint }: ResourceCall): Observed {
  const { observed } = endpoint.row;
  assert(observed !== undefined, `${endpoint.row.table} is stored`);
  return observed;
}
