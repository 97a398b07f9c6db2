// The workers that the controllers of certificate signing requests share: a queue of all requests, and a sync of those
// without a certificate.
// Upstream: pkg/controller/certificates/certificate_controller.go

import { CertificateSigningRequests } from "#api/generated/resources/certificates-v1.ts";
import type { CertificateSigningRequest } from "#api/generated/types/certificates-v1.ts";
import type { StoredCluster } from "#api/resource.ts";
import type { ControllerParts } from "#kit/controller-parts.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";
import { bucketLimiter, itemExponentialLimiter, maxOfLimiter } from "#workqueue/rate-limiters.ts";

export type StoredRequest = StoredCluster<CertificateSigningRequest>;

const WORKERS = 5;

export function workOnRequests(
  parts: ControllerParts,
  handle: (request: StoredRequest, signal: AbortSignal) => Promise<SyncResult>,
): void {
  const requests = parts.informer(CertificateSigningRequests);
  const queue = parts.queue({
    name: "certificate",
    rateLimiter: maxOfLimiter(
      itemExponentialLimiter({ baseMs: 200, maxMs: 1_000_000 }),
      bucketLimiter(parts.context.clock, { perSecond: 10, burst: 100 }),
    ),
  });
  parts.enqueue(requests, queue, { on: ["add", "update", "delete"] });
  parts.work({
    queue,
    workers: WORKERS,
    sync: async (key, signal) => {
      const request = requests.lister.get(key);
      return request === undefined || request.status?.certificate ? done : handle(request, signal);
    },
  });
}
