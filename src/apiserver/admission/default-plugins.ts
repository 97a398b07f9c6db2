// The admission plugins that are on by default, in upstream's order, after NamespaceLifecycle.
// Upstream: pkg/kubeapiserver/options/plugins.go, AllOrderedPlugins

import type { AdmissionPlugin } from "../admission.ts";
import type { ServerCore } from "../core.ts";
import { serviceAccount } from "./service-account.ts";

export function defaultPlugins(core: () => ServerCore): readonly AdmissionPlugin[] {
  return [serviceAccount(core)];
}
