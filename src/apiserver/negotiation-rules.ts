// The representations that each kind of request may ask for.

import type { ResourceCall } from "./core.ts";
import { ACCEPTED_TYPES, type NegotiationRules, STREAM_TYPES } from "./representation.ts";

export function negotiationRules({ endpoint, subresource }: ResourceCall): NegotiationRules {
  if (endpoint.row.isCustom) return CUSTOM;
  return endpoint.row.unprintedSubresources.includes(subresource) ? UNPRINTED : BUILTIN;
}

/** For a collection, which can also be watched. */
export function collectionRules({ endpoint }: ResourceCall): NegotiationRules {
  return endpoint.row.isCustom ? CUSTOM : COLLECTION;
}

/** Posted objects are never stored, so they have no columns. */
export function postedRules(call: ResourceCall): NegotiationRules {
  return { ...negotiationRules(call), allowsTable: false };
}

const BUILTIN = { allowsProtobuf: true, allowsTransform: true };
const COLLECTION = { ...BUILTIN, offered: [...ACCEPTED_TYPES, ...STREAM_TYPES] };
const UNPRINTED = { ...BUILTIN, allowsTable: false };
const CUSTOM = { allowsProtobuf: false, allowsTransform: true, hasRouter: false };
