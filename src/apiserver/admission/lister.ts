// Objects as the listers of upstream's plugins give them: what is not there is named in the singular.

import type { KubeObject } from "#api/object.ts";
import { newNotFound } from "#api/status-error.ts";
import type { ServerCore } from "../core.ts";

/** By the kind's key; throws a 404. */
export function fromLister(core: ServerCore, key: string, namespace: string, name: string): KubeObject {
  const found = core.kindServer.objects(key).get(namespace, name)?.object;
  if (found !== undefined) return found;
  const { stored = { group: "" }, singular = key } = core.registry.row(key) ?? {};
  throw newNotFound({ group: stored.group, resource: singular }, name);
}
