// Syncs one service account: when it is gone, deletes its token Secrets.
// Upstream: pkg/controller/serviceaccount/tokens_controller.go, syncServiceAccount.

import type { Secret } from "#api/generated/types/core-v1.ts";
import type { Stored } from "#api/resource.ts";
import { aggregate } from "#kit/aggregate-error.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";
import { ACCOUNT_NAME_ANNOTATION, ACCOUNT_UID_ANNOTATION, type AccountKey } from "./keys.ts";
import { type Deps, deleteTokenSecret, TOKEN_SECRET_TYPE } from "./sync-secret.ts";

export async function syncAccount(account: AccountKey, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const cached = deps.accounts.lister.get(`${account.namespace}/${account.name}`);
  if (cached?.metadata.uid === account.uid) return done;

  const errors: unknown[] = [];
  for (const secret of deps.secrets.lister.list(undefined, account.namespace)) {
    if (!isTokenOf(secret, account)) continue;
    try {
      await deleteTokenSecret(secret, deps, signal);
    } catch (error) {
      errors.push(error);
    }
  }
  const error = aggregate(errors);
  if (error !== undefined) throw error;
  return done;
}

/** A Secret that was never filled names its account but not the UID. */
function isTokenOf(secret: Stored<Secret>, account: AccountKey): boolean {
  if (secret.type !== TOKEN_SECRET_TYPE) return false;
  const annotations = secret.metadata.annotations ?? {};
  const uid = annotations[ACCOUNT_UID_ANNOTATION] ?? "";
  return annotations[ACCOUNT_NAME_ANNOTATION] === account.name && (uid === "" || uid === account.uid);
}
