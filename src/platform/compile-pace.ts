// How soon the runtime compiles what it runs. A daemon at rest runs the same little code every two seconds: compiled it
// is no cheaper, but the compilers and what they make are 6 MiB resident. So the compiled program starts reluctant
// (tools/build.ts), and this makes it as eager as any other while many requests are sent. Node has no such dial.

import type { Clock } from "#base/clock.ts";
import type { Transport } from "#base/http.ts";

/** How many times more often code has to run before it is compiled. */
export const RESTING_SCALE = 100;
const WORKING_SCALE = 1;
/** So many within a window are work: more than a start in a small cluster takes, and reached at the default --kube-api-qps. */
const BUSY_REQUESTS = 100;
const WINDOW_MS = 5_000;

type SetScale = (scale: number) => void;

/** Wraps the transports of the controllers, which are counted together. Timers run only while there is work. */
export function compilingAtWork(
  clock: Pick<Clock, "monotonicMs" | "after">,
  setScale: SetScale | undefined = runtimeScale(),
): (transport: Transport) => Transport {
  if (setScale === undefined) return (transport) => transport;
  let sinceMs = Number.NEGATIVE_INFINITY;
  let sent = 0;
  let isWorking = false;

  const look = (): void => {
    isWorking = sent >= BUSY_REQUESTS;
    sent = 0;
    if (isWorking) clock.after(WINDOW_MS, look);
    else setScale(RESTING_SCALE);
  };
  const note = (): void => {
    sent += 1;
    if (isWorking) return;
    const now = clock.monotonicMs();
    if (now - sinceMs >= WINDOW_MS) {
      sinceMs = now;
      sent = 1;
    }
    if (sent < BUSY_REQUESTS) return;
    isWorking = true;
    setScale(WORKING_SCALE);
    clock.after(WINDOW_MS, look);
  };
  return (transport) => ({
    send(request, signal) {
      note();
      return transport.send(request, signal);
    },
  });
}

function runtimeScale(): SetScale | undefined {
  const { Bun: bun } = globalThis as { Bun?: { unsafe: { setJITPolicy(scale: number): void } } };
  return bun && ((scale) => bun.unsafe.setJITPolicy(scale));
}
