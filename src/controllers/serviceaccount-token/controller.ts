/**
 * Fills the secrets in which users ask for a lasting service account token, and removes them with their account.
 *
 * Keeps true:  a Secret of type kubernetes.io/service-account-token whose account exists holds a token, the
 *              namespace and the root CA; one whose account does not exist is deleted; an account lists no
 *              secret that is gone.
 * Watches:     ServiceAccount, Secret of that type.
 * Reads live:  the Secret before it is filled; the ServiceAccount on a cache miss and before it is changed.
 * Writes:      update and delete of Secret, update of ServiceAccount.
 * Requeues:    never; a key is retried with back-off ten times, then dropped until its next event.
 * Identity:    none: it runs with the root client, because it makes identities possible.
 * Upstream:    pkg/controller/serviceaccount/tokens_controller.go.
 * Deviations:  a secret whose deletion was missed and found by a relist also loses its reference; upstream
 *              leaves that one dangling.
 */

import { Secrets, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import { TaskGroup } from "#base/task-group.ts";
import type { Controller, ControllerContext, ControllerDescriptor } from "#kit/controller.ts";
import { enqueuing } from "#kit/enqueuing.ts";
import { KeyQueue } from "#kit/key-queue.ts";
import { runWorkers } from "#kit/worker-loop.ts";
import { accountQueueKey, secretQueueKey } from "./keys.ts";
import { syncAccount } from "./sync-account.ts";
import { type Deps, syncSecret, TOKEN_SECRET_TYPE } from "./sync-secret.ts";
import type { TokenClaims } from "./token-claims.ts";

const IDENTITY = "tokens-controller";
const QUEUE = "serviceaccount_tokens_service";
const RETRIES_MAX = 10;
const NO_RESYNC = { resyncPeriodMs: 0 };

export interface TokenControllerOptions {
  /** Workers for each of the two queues. */
  readonly workers: number;
  /** PEM; empty leaves ca.crt alone. */
  readonly rootCa: string;
  /** Makes a signed token; undefined when there is no key: the controller is then not built. */
  readonly sign: ((claims: TokenClaims) => string) | undefined;
}

export const serviceAccountTokenController: ControllerDescriptor<TokenControllerOptions> = {
  name: "serviceaccount-token-controller",
  build: buildTokenController,
};

async function buildTokenController(
  context: ControllerContext,
  { workers, rootCa, sign }: TokenControllerOptions,
): Promise<Controller | undefined> {
  const log = context.log.named(IDENTITY);
  if (sign === undefined) {
    log.info("Controller is disabled because there is no private key", {
      controller: serviceAccountTokenController.name,
    });
    return undefined;
  }
  const client = await context.client(IDENTITY);
  const accounts = context.informers.informer(ServiceAccounts);
  const secrets = context.informers.informer(Secrets);
  const deps: Deps = {
    clock: context.clock,
    rng: context.rng.fork(IDENTITY),
    log,
    accounts,
    secrets,
    accountsApi: client.resource(ServiceAccounts),
    secretsApi: client.resource(Secrets),
    rootCa,
    sign,
  };
  const accountQueue = new KeyQueue({ context, controller: IDENTITY, name: QUEUE });
  const secretQueue = new KeyQueue({ context, controller: IDENTITY, name: QUEUE });

  accounts.addHandler(enqueuing(accountQueue, ServiceAccounts, accountQueueKey), NO_RESYNC);
  secrets.addHandler(
    enqueuing(secretQueue, Secrets, (secret) =>
      secret.type === TOKEN_SECRET_TYPE ? secretQueueKey(secret) : undefined,
    ),
    NO_RESYNC,
  );

  // Two loops that would say the same of themselves; upstream says it at level 5 only.
  const shared = { log: log.v(5), workers, waitFor: [accounts, secrets], retriesMax: RETRIES_MAX };
  return {
    run: (signal) =>
      TaskGroup.all(signal, [
        (signal) =>
          runWorkers({ ...shared, queue: accountQueue, sync: (key, signal) => syncAccount(key, deps, signal) }, signal),
        (signal) =>
          runWorkers({ ...shared, queue: secretQueue, sync: (key, signal) => syncSecret(key, deps, signal) }, signal),
      ]),
  };
}
