// Fencing: a transport through which nothing is written once the lease could have expired. A process
// that was stopped for longer than its lease must not finish what it had begun: by the time it wakes,
// another manager may be leading. Reads pass: they do no harm.

import { childScope } from "#base/abort.ts";
import type { Transport } from "#base/http.ts";

/** A lease as its holder sees it. */
export interface HeldLease {
  /** False as soon as another candidate could hold it. */
  isCertain(): boolean;
  /** Calls back whenever certainty ends; it may come again. */
  onDoubt(callback: () => void): void;
}

/** A write was held back. The program is about to end: leadership is gone or in doubt. */
export class LeadershipUncertain extends Error {
  override readonly name = "LeadershipUncertain";
  constructor(what: string) {
    super(`not sent, because the leader lease may have expired: ${what}`);
  }
}

export function fencedTransport(transport: Transport, lease: HeldLease): Transport {
  let doubt = new AbortController();
  lease.onDoubt(() => {
    const ended = doubt;
    doubt = new AbortController();
    ended.abort(new LeadershipUncertain("what was under way"));
  });
  return {
    async send(request, signal) {
      if (request.method === "GET" || request.method === "HEAD") return transport.send(request, signal);
      const guard = (): void => {
        if (!lease.isCertain()) throw new LeadershipUncertain(`${request.method} ${request.path}`);
      };
      guard();
      // It may still have to wait for a free connection, or for a new one to be opened: asked again when it
      // leaves, given up when doubt comes first.
      using scope = childScope(signal, doubt.signal);
      return await transport.send({ ...request, guard }, scope.signal);
    },
  };
}
