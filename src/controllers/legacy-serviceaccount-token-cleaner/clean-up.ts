// One pass over all Secrets with service account tokens.
// Upstream: pkg/controller/serviceaccount/legacy_serviceaccount_token_cleaner.go.

import type { ConfigMap, Pod, Secret, ServiceAccount } from "#api/generated/types/core-v1.ts";
import { objectKey, ref } from "#api/object.ts";
import type { Stored } from "#api/resource.ts";
import { isConflict, isNotFound } from "#api/status-error.ts";
import type { Clock, EpochMs } from "#base/clock.ts";
import type { Logger } from "#base/log.ts";
import type { ResourceClient } from "#client/client.ts";
import type { SharedInformer } from "#informers/informer.ts";
import { compareText } from "#kit/order.ts";
import { podSecretNames } from "#rules/pod-secrets.ts";
import { dateOf, INVALID_SINCE, isGenerated, isIdle, trackedSince, verdictOn } from "./verdict.ts";

const TRACKING = { namespace: "kube-system", name: "kube-apiserver-legacy-service-account-token-tracking" };
const ACCOUNT_NAME = "kubernetes.io/service-account.name";
const ACCOUNT_UID = "kubernetes.io/service-account.uid";

export interface Deps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly accounts: SharedInformer<Stored<ServiceAccount>>;
  readonly secrets: SharedInformer<Stored<Secret>>;
  readonly pods: SharedInformer<Stored<Pod>>;
  readonly secretsApi: ResourceClient<Stored<Secret>>;
  readonly configMapsApi: ResourceClient<Stored<ConfigMap>>;
  /** --legacy-service-account-token-clean-up-period */
  readonly periodMs: number;
}

/** A failure is logged; the next pass tries again. */
export async function cleanUp(deps: Deps, signal: AbortSignal): Promise<void> {
  const nowMs = deps.clock.now();
  const beforeMs = nowMs - deps.periodMs;
  if (!(await isTrackedLongEnough(beforeMs, deps, signal))) return;
  const usedIn = new Map<string, ReadonlySet<string>>();
  for (const secret of idleTokens(beforeMs, deps)) {
    const { namespace, name } = secret.metadata;
    const used = usedIn.get(namespace) ?? usedSecrets(namespace, deps);
    usedIn.set(namespace, used);
    if (used.has(name)) continue;
    const verdict = verdictOn(secret, beforeMs);
    if (verdict === "mark") await mark(secret, dateOf(nowMs), deps, signal);
    if (verdict === "delete") await remove(secret, deps, signal);
  }
}

/** True if the API server has recorded the use of tokens for the whole period. */
async function isTrackedLongEnough(beforeMs: EpochMs, deps: Deps, signal: AbortSignal): Promise<boolean> {
  try {
    const { data } = await deps.configMapsApi.get(TRACKING, signal);
    return trackedSince(data?.since) <= beforeMs;
  } catch (error) {
    if (signal.aborted) throw error;
    deps.log.error(error, "Getting lastest possible tracked_since time");
    return false;
  }
}

function idleTokens(beforeMs: EpochMs, { secrets, accounts }: Deps): readonly Stored<Secret>[] {
  const idle = secrets.lister.list().filter((secret) => {
    if (!isIdle(secret, beforeMs)) return false;
    const { namespace, annotations = {} } = secret.metadata;
    const account = accounts.lister.get(`${namespace}/${annotations[ACCOUNT_NAME] ?? ""}`);
    const uid = annotations[ACCOUNT_UID] ?? "";
    return (uid === "" || uid === account?.metadata.uid) && isGenerated(secret, account);
  });
  return idle.toSorted((a, b) => compareText(objectKey(a), objectKey(b)));
}

function usedSecrets(namespace: string, { pods }: Deps): ReadonlySet<string> {
  return new Set(pods.lister.list(undefined, namespace).flatMap((pod) => [...podSecretNames(pod)]));
}

/** The patch carries the UID, so that a new Secret of the same name is not marked. */
async function mark(secret: Stored<Secret>, invalidSince: string, deps: Deps, signal: AbortSignal): Promise<void> {
  const { namespace, name, uid } = secret.metadata;
  const fields = { invalidSince, secret: ref(secret) };
  deps.log.info("Mark the auto-generated service account token as invalid", fields);
  const metadata = { name, namespace, uid, labels: { [INVALID_SINCE]: invalidSince } };
  const patch = { kind: "Secret", apiVersion: "v1", metadata };
  try {
    await deps.secretsApi.patch({ namespace, name, type: "merge", patch }, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    deps.log.error(error, "Failed to label legacy service account token secret with invalid since date");
  }
}

async function remove(secret: Stored<Secret>, deps: Deps, signal: AbortSignal): Promise<void> {
  const { namespace, name, resourceVersion } = secret.metadata;
  deps.log.info("Delete auto-generated service account token", { secret: ref(secret) });
  try {
    await deps.secretsApi.delete({ namespace, name, options: { preconditions: { resourceVersion } } }, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    if (isConflict(error) || isNotFound(error)) return;
    deps.log.error(error, "Deleting legacy service account token", { secret: ref(secret) });
  }
}
