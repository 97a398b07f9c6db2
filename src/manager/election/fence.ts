// Fencing: a transport through which nothing is written once the lease could have expired. A process
// that was stopped for longer than its lease must not finish what it had begun: by the time it wakes,
// another manager may be leading. Reads pass; they harm nobody.

import type { Transport } from "#base/http.ts";

/** A write was held back. The program is about to end: leadership is gone or in doubt. */
export class LeadershipUncertain extends Error {
  override readonly name = "LeadershipUncertain";
  constructor(method: string, path: string) {
    super(`not sent, because the leader lease may have expired: ${method} ${path}`);
  }
}

export function fencedTransport(transport: Transport, isLeaseCertain: () => boolean): Transport {
  return {
    async send(request, signal) {
      const isRead = request.method === "GET" || request.method === "HEAD";
      if (!isRead && !isLeaseCertain()) throw new LeadershipUncertain(request.method, request.path);
      return transport.send(request, signal);
    },
  };
}
