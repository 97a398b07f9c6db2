// The form in which the store keeps an object.
// Upstream: protobuf, in which most built-in kinds are stored, has no empty lists.

import { goTypeOfKind } from "#api/go-layout.ts";
import type { KubeObject } from "#api/object.ts";
import { withoutEmptyLists } from "#api/typed-decoding.ts";
import type { ResourceCall } from "../core.ts";

/** Empty lists become absent, or null if the field is always written. */
export function storable({ context, endpoint }: ResourceCall, object: KubeObject): KubeObject {
  const { stored, isStoredAsJson } = endpoint.row;
  const type = context.hasEmptyLists && !isStoredAsJson ? goTypeOfKind(stored) : undefined;
  return type === undefined ? object : withoutEmptyLists(type, object);
}
