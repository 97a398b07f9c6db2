/**
 * Fills the Secrets with which users request a non-expiring service account token, and deletes them with their account.
 *
 * Keeps true:  a Secret of type kubernetes.io/service-account-token whose account exists holds a token, the namespace
 *              and the root CA; one whose account does not exist is deleted; an account lists no secret that is gone.
 * Requeues:    never; a key is retried with back-off ten times, then dropped until its next event.
 * Upstream:    pkg/controller/serviceaccount/tokens_controller.go.
 * Deviations:  a secret whose deletion was missed and found by a relist also loses its reference; upstream leaves that
 *              one dangling.
 */

import { Secrets, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import { assert } from "#base/assert.ts";
import { get, remove, update } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { type AccountKey, accountKey, accountKeyText, type SecretKey, secretKey, secretKeyText } from "./keys.ts";
import { syncAccount } from "./sync-account.ts";
import { type Deps, syncSecret, TOKEN_SECRET_TYPE } from "./sync-secret.ts";
import type { TokenClaims } from "./token-claims.ts";

const QUEUE = "serviceaccount_tokens_service";
const RETRIES_MAX = 10;

export interface TokenControllerOptions {
  /** The workers of each of the two queues. */
  readonly workers: number;
  /** PEM; empty: ca.crt is not changed. */
  readonly rootCa: string;
  /** Signs a token; undefined without a key: the controller is then not built. */
  readonly sign: ((claims: TokenClaims) => string) | undefined;
}

export const serviceAccountTokenController: ControllerDescriptor<TokenControllerOptions> = keyedController({
  name: "serviceaccount-token-controller",
  contract: {
    watches: [ServiceAccounts, Secrets],
    reads: [get(Secrets), get(ServiceAccounts)],
    writes: [update(Secrets), remove(Secrets, { preconditions: "uid" }), update(ServiceAccounts)],
  },
  verbosity: 5,
  whyOff: ({ sign }) => (sign === undefined ? "Controller is disabled because there is no private key" : undefined),
  build(parts, { workers, rootCa, sign }) {
    const { context, client, log, identity } = parts;
    assert(sign !== undefined, "a key signs tokens");
    const accounts = parts.informer(ServiceAccounts);
    const secrets = parts.informer(Secrets);
    const deps: Deps = {
      clock: context.clock,
      rng: context.rng.fork(identity),
      log,
      accounts,
      secrets,
      accountsApi: client.resource(ServiceAccounts),
      secretsApi: client.resource(Secrets),
      rootCa,
      sign,
    };
    const accountQueue = parts.queue<AccountKey>({ name: QUEUE, text: accountKeyText });
    const secretQueue = parts.queue<SecretKey>({ name: QUEUE, text: secretKeyText });
    parts.enqueue(accounts, accountQueue, { key: accountKey, resyncPeriodMs: 0 });
    parts.enqueue(secrets, secretQueue, {
      when: ({ type }) => type === TOKEN_SECRET_TYPE,
      key: secretKey,
      resyncPeriodMs: 0,
    });
    const shared = { workers, retriesMax: RETRIES_MAX };
    parts.work({ ...shared, queue: accountQueue, sync: (key, signal) => syncAccount(key, deps, signal) });
    parts.work({ ...shared, queue: secretQueue, sync: (key, signal) => syncSecret(key, deps, signal) });
  },
});
