// Nothing starts before the API server says it is healthy.
// Upstream: k8s.io/controller-manager/app/helper.go, WaitForAPIServer.

import type { Clock } from "#base/clock.ts";
import { errorMessage } from "#base/errors.ts";
import type { Client } from "#client/client.ts";

const WAIT_MS = 10_000;
const POLL_MS = 1_000;

export async function waitForApiServer(client: Client, clock: Clock, signal: AbortSignal): Promise<void> {
  const startedMs = clock.monotonicMs();
  let problem: unknown;
  do {
    try {
      await client.raw({ method: "GET", path: "/healthz" }, signal);
      return;
    } catch (error) {
      if (signal.aborted) throw error;
      problem = error;
    }
    await clock.sleep(POLL_MS, signal);
  } while (clock.monotonicMs() - startedMs < WAIT_MS);
  const last = `failed to get apiserver /healthz status: ${errorMessage(problem)}`;
  throw new Error(`failed to wait for apiserver being healthy: timed out waiting for the condition: ${last}`, {
    cause: problem,
  });
}
