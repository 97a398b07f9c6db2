// Fencing: a transport that refuses writes once the lease may have expired. A process that was stopped for longer than
// its lease must not finish its writes, because another manager may be leading by then. Reads pass, because they do no
// harm.

import { childScope } from "#base/abort.ts";
import type { Transport } from "#base/http.ts";

/** A lease from its holder's side. */
export interface HeldLease {
  /** False as soon as another candidate could hold the lease. */
  isCertain(): boolean;
  /** Calls back whenever certainty ends; certainty may return later. */
  onDoubt(callback: () => void): void;
}

/** A write was refused. The program is about to end: leadership is lost or in doubt. */
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
      // The request may still wait for a free or new connection. The guard checks again when it leaves, and doubt
      // aborts it before that.
      using scope = childScope(signal, doubt.signal);
      return await transport.send({ ...request, guard }, scope.signal);
    },
  };
}
