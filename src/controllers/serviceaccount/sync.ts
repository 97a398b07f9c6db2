// Syncs one namespace: creates the required accounts that are missing.
// Upstream: pkg/controller/serviceaccount/serviceaccounts_controller.go, syncNamespace.

import type { Namespace, ServiceAccount } from "#api/generated/types/core-v1.ts";
import type { Stored, StoredCluster } from "#api/resource.ts";
import { isAlreadyExists, isNamespaceTerminating } from "#api/status-error.ts";
import type { ResourceClient } from "#client/client.ts";
import type { SharedInformer } from "#informers/informer.ts";
import { tolerate } from "#kit/tolerate.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";

/** The accounts of every active namespace. */
const ENSURED_ACCOUNTS = ["default"];

export interface Deps {
  readonly namespaces: SharedInformer<StoredCluster<Namespace>>;
  readonly accounts: SharedInformer<Stored<ServiceAccount>>;
  readonly accountsApi: ResourceClient<Stored<ServiceAccount>>;
}

export async function syncNamespace(namespace: string, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  if (deps.namespaces.lister.get(namespace)?.status?.phase !== "Active") return done;
  for (const name of ENSURED_ACCOUNTS) {
    if (deps.accounts.lister.get(`${namespace}/${name}`) === undefined) {
      const created = deps.accountsApi.create({ object: { metadata: { namespace, name } } }, signal);
      await tolerate(created, isAlreadyExists, isNamespaceTerminating); // in both cases nothing is left to do
    }
  }
  return done;
}
