// What a new cluster begins with: the four namespaces that are always there.
// Upstream: pkg/controlplane/controller/systemnamespaces

import type { ServerCore } from "./core.ts";
import { createOwn } from "./write/own-objects.ts";

export const SYSTEM_NAMESPACES: readonly string[] = ["default", "kube-system", "kube-public", "kube-node-lease"];

/** Creates those that are missing; they are checked again each time the server starts. */
export function bootstrapNamespaces(core: ServerCore): void {
  for (const name of SYSTEM_NAMESPACES) {
    const metadata = { name, labels: { "kubernetes.io/metadata.name": name } };
    createOwn(core, "namespaces", { metadata }, (namespace) => ({
      ...namespace,
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    }));
  }
}
