// What a new cluster begins with: the four namespaces that are always there.
// Upstream: pkg/controlplane/controller/systemnamespaces

import type { KubeObject } from "#api/object.ts";
import { formatTime } from "#api/time.ts";
import { assert } from "#base/assert.ts";
import type { ServerCore } from "./core.ts";
import { withResourceVersion } from "./object-meta.ts";

export const SYSTEM_NAMESPACES: readonly string[] = ["default", "kube-system", "kube-public", "kube-node-lease"];

/** Creates those that are missing; they are checked again each time the server starts. */
export function bootstrapNamespaces(core: ServerCore): void {
  const row = core.registry.row("namespaces");
  assert(row !== undefined, "namespaces are not served");
  const table = core.tableOf(row);
  const now = formatTime(core.clock.now());
  for (const name of SYSTEM_NAMESPACES) {
    if (table.get(name) !== undefined) continue;
    table.create(name, (revision) => withResourceVersion(namespaceObject(name, now, core.rng.uids.uuid()), revision));
  }
}

function namespaceObject(name: string, now: string, uid: string): KubeObject {
  const label = "kubernetes.io/metadata.name";
  const namespace = {
    kind: "Namespace",
    apiVersion: "v1",
    metadata: {
      name,
      uid,
      creationTimestamp: now,
      labels: { [label]: name },
      managedFields: [
        {
          manager: "kube-apiserver",
          operation: "Update",
          apiVersion: "v1",
          time: now,
          fieldsType: "FieldsV1",
          fieldsV1: { "f:metadata": { "f:labels": { ".": {}, [`f:${label}`]: {} } } },
        },
      ],
    },
    spec: { finalizers: ["kubernetes"] },
    status: { phase: "Active" },
  };
  return namespace;
}
