// The four system namespaces, and the ConfigMap with the date since which legacy token use is tracked. Upstream:
// pkg/controlplane/controller/systemnamespaces, legacytokentracking

import type { ConfigMap } from "#api/generated/types/core-v1.ts";
import { formatTime } from "#api/time.ts";
import type { ServerCore } from "../core.ts";
import { createOwn } from "../write/own-objects.ts";

export const SYSTEM_NAMESPACES: readonly string[] = ["default", "kube-system", "kube-public", "kube-node-lease"];

/** Creates missing namespaces at each start. */
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

/** The date is that of the first start. */
export function bootstrapTokenTracking(core: ServerCore): void {
  const metadata = { namespace: "kube-system", name: "kube-apiserver-legacy-service-account-token-tracking" };
  const data = { since: formatTime(core.clock.now()).slice(0, 10) };
  const map: ConfigMap = { metadata, data };
  createOwn(core, "configmaps", map);
}
