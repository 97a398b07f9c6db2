/**
 * Deletes old certificate signing requests, because kubelets create new ones all the time.
 *
 * Keeps true:  a request is deleted an hour after it was issued, denied or failed, a day after it was created or
 *              approved without a later change, and when its certificate has expired.
 * Requeues:    checks all requests every hour, and retries failures then.
 * Deviations:  none. As upstream, the first pass does not wait for the cache, so it finds no requests.
 * Upstream:    pkg/controller/certificates/cleaner/cleaner.go.
 */

import { CertificateSigningRequests } from "#api/generated/resources/certificates-v1.ts";
import { errorMessage } from "#base/errors.ts";
import { until } from "#base/wait.ts";
import { remove } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { whyExpired } from "./expiry.ts";

const CHECK_PERIOD_MS = 3_600_000;

export const requestCleaner: ControllerDescriptor = keyedController({
  name: "certificatesigningrequest-cleaner-controller",
  contract: {
    watches: [CertificateSigningRequests],
    reads: [],
    writes: [remove(CertificateSigningRequests)],
  },
  build(parts) {
    const { log, client, context } = parts;
    const requests = parts.informer(CertificateSigningRequests);
    const api = client.resource(CertificateSigningRequests);
    const clean = async (signal: AbortSignal): Promise<void> => {
      for (const request of requests.lister.list()) {
        const { name } = request.metadata;
        const why = whyExpired(request, context.clock.now());
        if (why === undefined) continue;
        log.info(why, { csr: name });
        try {
          await api.delete({ name }, signal);
        } catch (cause) {
          if (signal.aborted) throw cause;
          const error = new Error(`unable to delete CSR ${JSON.stringify(name)}: ${errorMessage(cause)}`, { cause });
          log.error(error, "Error while attempting to clean CSR", { csr: name });
        }
      }
    };
    parts.fromStart((signal) => until(clean, CHECK_PERIOD_MS, context.clock, signal));
  },
});
