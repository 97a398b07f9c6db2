/**
 * Deletes bootstrap tokens that have expired.
 *
 * Keeps true:  no Secret of type bootstrap.kubernetes.io/token in kube-system outlives its expiration.
 * Requeues:    when the token will expire.
 * Upstream:    pkg/controller/bootstrap/tokencleaner.go.
 * Deviations:  a deletion without an answer is retried; upstream waits for the next event of the Secret.
 */

import { Secrets } from "#api/generated/resources/core-v1.ts";
import { ApiError, isConflict, isNotFound } from "#api/status-error.ts";
import { errorMessage } from "#base/errors.ts";
import { expirationOf, isBootstrapToken } from "#families/bootstrap-tokens/bootstrap-token.ts";
import { remove } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { done, requeueAfter } from "#kit/worker-loop.ts";

export const tokenCleanerController: ControllerDescriptor = keyedController({
  name: "token-cleaner-controller",
  contract: {
    watches: [Secrets],
    reads: [],
    writes: [remove(Secrets, { preconditions: "uid" })],
  },
  build(parts) {
    const { clock } = parts.context;
    const { log } = parts;
    const secrets = parts.informer(Secrets);
    const api = parts.client.resource(Secrets);
    const queue = parts.queue({ name: "token_cleaner" });
    parts.enqueue(secrets, queue, { on: ["add", "update"], when: isBootstrapToken, resyncPeriodMs: 0 });
    parts.work({
      queue,
      async sync(key, signal) {
        const secret = secrets.lister.get(key);
        const expiration = secret === undefined || !isBootstrapToken(secret) ? "never" : expirationOf(secret);
        if (secret === undefined || expiration === "never") return done;
        const leftMs = expiration - clock.now();
        if (leftMs > 0) return requeueAfter(leftMs, "expiration");
        const { namespace, name, uid } = secret.metadata;
        try {
          await api.delete({ namespace, name, options: { preconditions: { uid } } }, signal);
        } catch (error) {
          // As upstream, a refused deletion waits for the next event of the Secret.
          if (!(error instanceof ApiError)) throw error;
          if (!isConflict(error) && !isNotFound(error)) {
            log.v(3).info("Error deleting secret", { err: errorMessage(error) });
          }
        }
        return done;
      },
    });
  },
});
