/**
 * Deletes old PodCertificateRequests: a kubelet that still needs a certificate creates another request.
 *
 * Keeps true:  no PodCertificateRequest lives much longer than 15 minutes, whatever its status.
 * Requeues:    checks all requests every five minutes, and retries failures then.
 * Deviations:  none. As upstream, the first pass does not wait for the cache, so it finds no requests.
 * Upstream:    pkg/controller/certificates/cleaner/pcrcleaner.go.
 */

import { PodCertificateRequests } from "#api/generated/resources/certificates-v1beta1.ts";
import { isNotFound } from "#api/status-error.ts";
import { errorMessage } from "#base/errors.ts";
import { until } from "#base/wait.ts";
import { remove } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { isExpired } from "./expiry.ts";

const CHECK_PERIOD_MS = 5 * 60_000;

export const podRequestCleaner: ControllerDescriptor = keyedController({
  name: "podcertificaterequest-cleaner-controller",
  contract: {
    watches: [PodCertificateRequests],
    reads: [],
    writes: [remove(PodCertificateRequests, { preconditions: "uid" })],
  },
  build(parts) {
    const { log, client, context } = parts;
    const requests = parts.informer(PodCertificateRequests);
    const api = client.resource(PodCertificateRequests);
    const clean = async (signal: AbortSignal): Promise<void> => {
      for (const { metadata } of requests.lister.list()) {
        const { namespace, name, uid } = metadata;
        if (!isExpired(metadata, context.clock.now())) continue;
        try {
          await api.delete({ namespace, name, options: { preconditions: { uid } } }, signal);
        } catch (cause) {
          if (signal.aborted) throw cause;
          if (isNotFound(cause)) continue;
          const key = `${namespace}/${name}`;
          const text = `unable to delete PodCertificateRequest ${JSON.stringify(key)}: ${errorMessage(cause)}`;
          log.error(new Error(text, { cause }), "Error while attempting to clean PodCertificateRequest", { pcr: key });
        }
      }
    };
    parts.fromStart((signal) => until(clean, CHECK_PERIOD_MS, context.clock, signal));
  },
});
