// An object as the store keeps it.
// Upstream: protobuf, in which all built-in kinds but these two groups are stored, has no empty lists.

import { goTypeOfKind } from "#api/go-layout.ts";
import type { KubeObject } from "#api/object.ts";
import type { ResourceCall } from "../core.ts";
import { withoutEmptyLists } from "../decoding/typed-decoding.ts";

const STORED_AS_JSON: ReadonlySet<string> = new Set(["apiextensions.k8s.io", "apiregistration.k8s.io"]);

/** Empty lists that clients always see become null. */
export function storable({ context, endpoint }: ResourceCall, object: KubeObject): KubeObject {
  const { stored } = endpoint.row;
  const type = context.hasEmptyLists && !STORED_AS_JSON.has(stored.group) ? goTypeOfKind(stored) : undefined;
  return type === undefined ? object : withoutEmptyLists(type, object);
}
