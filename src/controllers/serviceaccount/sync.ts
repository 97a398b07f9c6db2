// The story of one namespace: create each account that must exist and does not.
// Upstream: pkg/controller/serviceaccount/serviceaccounts_controller.go, syncNamespace.

import type { Namespace, ServiceAccount } from "#api/generated/types/core-v1.ts";
import type { Stored, StoredCluster } from "#api/resource.ts";
import { isAlreadyExists, isNamespaceTerminating } from "#api/status-error.ts";
import type { ResourceClient } from "#client/client.ts";
import type { SharedInformer } from "#informers/informer.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";

/** The accounts every active namespace has. */
const ENSURED_ACCOUNTS = ["default"];

export interface Deps {
  readonly namespaces: SharedInformer<StoredCluster<Namespace>>;
  readonly accounts: SharedInformer<Stored<ServiceAccount>>;
  readonly accountsApi: ResourceClient<Stored<ServiceAccount>>;
}

export async function syncNamespace(namespaceName: string, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const namespace = deps.namespaces.lister.get(namespaceName);
  if (namespace?.status?.phase !== "Active") return done;
  for (const name of ENSURED_ACCOUNTS) {
    if (deps.accounts.lister.get(`${namespaceName}/${name}`) === undefined) {
      await createAccount(namespaceName, name, deps, signal);
    }
  }
  return done;
}

/** Somebody else was faster, or the namespace is going away: both leave nothing to do. */
async function createAccount(namespace: string, name: string, deps: Deps, signal: AbortSignal): Promise<void> {
  try {
    await deps.accountsApi.create({ object: { metadata: { name, namespace } } }, signal);
  } catch (error) {
    if (!isAlreadyExists(error) && !isNamespaceTerminating(error)) throw error;
  }
}
