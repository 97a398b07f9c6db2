// The story of one namespace: create each account that must exist and does not.
// Upstream: pkg/controller/serviceaccount/serviceaccounts_controller.go, syncNamespace.

import type { Namespace, ServiceAccount } from "#api/generated/types/core-v1.ts";
import { isAlreadyExists, isNamespaceTerminating } from "#api/status-error.ts";
import type { ResourceClient } from "#client/client.ts";
import type { SharedInformer } from "#informers/informer.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";

/** The accounts every active namespace has. */
const ENSURED_ACCOUNTS = ["default"];

export interface Deps {
  readonly namespaces: SharedInformer<Namespace>;
  readonly accounts: SharedInformer<ServiceAccount>;
  readonly accountsApi: ResourceClient<ServiceAccount>;
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
  const object: ServiceAccount = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } };
  try {
    await deps.accountsApi.create({ namespace, object }, signal);
  } catch (error) {
    if (!isAlreadyExists(error) && !isNamespaceTerminating(error)) throw error;
  }
}
