// Syncs one token Secret: fills it while its account exists, deletes it when the account is gone, and drops the
// account's reference when the Secret itself is gone.
// Upstream: pkg/controller/serviceaccount/tokens_controller.go, syncSecret, generateTokenIfNeeded.

import type { Secret, ServiceAccount } from "#api/generated/types/core-v1.ts";
import type { Stored } from "#api/resource.ts";
import { isConflict, isNotFound } from "#api/status-error.ts";
import type { Clock } from "#base/clock.ts";
import { errorMessage, isAborted, TerminalError } from "#base/errors.ts";
import { type Backoff, retryOnError } from "#base/go-backoff.ts";
import type { Logger } from "#base/log.ts";
import type { Rng } from "#base/rng.ts";
import type { ResourceClient } from "#client/client.ts";
import type { SharedInformer } from "#informers/informer.ts";
import { tolerate } from "#kit/tolerate.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";
import type { SecretKey } from "./keys.ts";
import { filledSecret, lackingData } from "./secret-data.ts";
import { type TokenClaims, tokenClaims } from "./token-claims.ts";

export const TOKEN_SECRET_TYPE = "kubernetes.io/service-account-token";

/** Another client may be changing the account at the same time. */
const removeReferenceBackoff: Backoff = { steps: 10, durationMs: 100, factor: 1, jitter: 1 };

export interface Deps {
  readonly clock: Clock;
  readonly rng: Rng;
  readonly log: Logger;
  readonly accounts: SharedInformer<Stored<ServiceAccount>>;
  readonly secrets: SharedInformer<Stored<Secret>>;
  readonly accountsApi: ResourceClient<Stored<ServiceAccount>>;
  readonly secretsApi: ResourceClient<Stored<Secret>>;
  readonly rootCa: string;
  readonly sign: (claims: TokenClaims) => string;
}

export async function syncSecret(key: SecretKey, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  if (key.accountName === "") {
    deps.log.error(undefined, "token secret names no service account", { secret: `${key.namespace}/${key.name}` });
    return done;
  }
  const secret = deps.secrets.lister.get(`${key.namespace}/${key.name}`);
  if (secret?.metadata.uid !== key.uid) {
    if (cachedAccount(key, deps) !== undefined) await removeReference(key, deps, signal);
    return done;
  }
  // The account may be newer than the cache: only a live read shows that it is gone.
  const account = cachedAccount(key, deps) ?? (await liveAccount(key, deps, signal));
  if (account === undefined) await deleteTokenSecret(secret, deps, signal);
  else await fill(secret, account, deps, signal);
  return done;
}

/** If the Secret is gone or was replaced by another of that name, nothing is left to do. */
export async function deleteTokenSecret(secret: Stored<Secret>, deps: Deps, signal: AbortSignal): Promise<void> {
  const { namespace, name, uid } = secret.metadata;
  const deleted = deps.secretsApi.delete({ namespace, name, options: { preconditions: { uid } } }, signal);
  await tolerate(deleted, isNotFound, isConflict);
}

function isMeant(account: Stored<ServiceAccount>, key: SecretKey): boolean {
  return key.accountUid === "" || key.accountUid === account.metadata.uid;
}

function cachedAccount(key: SecretKey, deps: Deps): Stored<ServiceAccount> | undefined {
  const account = deps.accounts.lister.get(`${key.namespace}/${key.accountName}`);
  return account !== undefined && isMeant(account, key) ? account : undefined;
}

async function liveAccount(
  key: SecretKey,
  deps: Deps,
  signal: AbortSignal,
): Promise<Stored<ServiceAccount> | undefined> {
  const { namespace, accountName: name } = key;
  const account = await tolerate(deps.accountsApi.get({ namespace, name }, signal), isNotFound);
  return account !== undefined && isMeant(account, key) ? account : undefined;
}

async function fill(
  cached: Stored<Secret>,
  account: Stored<ServiceAccount>,
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  if (lackingData(cached, deps.rootCa).length === 0) return;
  const { namespace, name, resourceVersion } = cached.metadata;
  let live: Stored<Secret>;
  try {
    live = await deps.secretsApi.get({ namespace, name }, signal);
  } catch (error) {
    if (isNotFound(error)) throw new TerminalError(errorMessage(error), { cause: error });
    throw error;
  }
  if (live.metadata.resourceVersion !== resourceVersion) return; // its event queues the key again
  if (lackingData(live, deps.rootCa).length === 0) return;
  const token = (): string => signOrGiveUp(tokenClaims(account, live), deps);
  const object = filledSecret(live, account, { rootCa: deps.rootCa, token });
  await tolerate(deps.secretsApi.update({ object }, signal), isConflict, isNotFound);
}

function signOrGiveUp(claims: TokenClaims, deps: Deps): string {
  try {
    return deps.sign(claims);
  } catch (error) {
    throw new TerminalError(`signing a token: ${errorMessage(error)}`, { cause: error });
  }
}

/** A failure is only logged: the reference is a convenience. */
async function removeReference(key: SecretKey, deps: Deps, signal: AbortSignal): Promise<void> {
  try {
    await retryOnError(removeReferenceBackoff, isConflict, () => removeReferenceOnce(key, deps, signal), deps, signal);
  } catch (error) {
    if (isAborted(error, signal)) throw error;
    deps.log.error(error, "Removing secret reference", { secret: `${key.namespace}/${key.name}` });
  }
}

async function removeReferenceOnce(key: SecretKey, deps: Deps, signal: AbortSignal): Promise<void> {
  const account = await liveAccount(key, deps, signal);
  if (account === undefined || !account.secrets?.some((reference) => reference.name === key.name)) return;
  const secrets = account.secrets.filter((reference) => reference.name !== key.name);
  const { secrets: _, ...rest } = account;
  const object = { ...rest, ...(secrets.length > 0 ? { secrets } : {}) };
  await tolerate(deps.accountsApi.update({ object }, signal), isNotFound);
}
