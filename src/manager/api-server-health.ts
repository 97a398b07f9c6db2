// Waits until the API server reports that it is healthy. Nothing starts before.
// Upstream: k8s.io/controller-manager/app/helper.go, WaitForAPIServer.

import type { Clock } from "#base/clock.ts";
import { errorMessage } from "#base/errors.ts";
import type { Logger } from "#base/log.ts";
import { pollImmediate } from "#base/wait.ts";
import type { Client } from "#client/client.ts";
import { decodeText } from "#client/codec.ts";

const WAIT_MS = 10_000;
const POLL_MS = 1_000;
const OK = 200;

export async function waitForApiServer(client: Client, clock: Clock, log: Logger, signal: AbortSignal): Promise<void> {
  let problem: { readonly text: string; readonly cause?: unknown } = { text: "" };
  const isHealthy = async (): Promise<boolean> => {
    try {
      const { status, bytes } = await client.raw({ method: "GET", path: "/healthz" }, signal);
      if (status === OK) return true;
      // Any other answer that is not an error, such as 202.
      const content = decodeText(bytes);
      log.info(`APIServer isn't healthy yet: ${content}. Waiting a little while.`);
      problem = { text: `APIServer isn't healthy: ${content}` };
    } catch (cause) {
      if (signal.aborted) throw cause;
      problem = { text: `failed to get apiserver /healthz status: ${errorMessage(cause)}`, cause };
    }
    return false;
  };
  if (await pollImmediate(isHealthy, { intervalMs: POLL_MS, timeoutMs: WAIT_MS, clock }, signal)) return;
  const { text, cause } = problem;
  throw new Error(`failed to wait for apiserver being healthy: timed out waiting for the condition: ${text}`, {
    cause,
  });
}
