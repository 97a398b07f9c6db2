// Reads objects with the errors of upstream's listers: a missing object is named in the singular.

import type { KubeObject } from "#api/object.ts";
import { newNotFound } from "#api/status-error.ts";
import type { ServerCore } from "../core.ts";

/** key: of the kind. Throws a 404. */
export function fromLister(core: ServerCore, key: string, namespace: string, name: string): KubeObject {
  const found = core.kindServer.objects(key).get(namespace, name)?.object;
  if (found !== undefined) return found;
  const { stored = { group: "" }, singular = key } = core.registry.row(key) ?? {};
  throw newNotFound({ group: stored.group, resource: singular }, name);
}
