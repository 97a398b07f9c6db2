// Resource versions in requests: parsing, and how long a read waits for a version that is ahead.
// Upstream: k8s.io/apiserver/pkg/storage/versioner.go, ParseResourceVersion; cacher/watch_cache.go

import { goQuote } from "#api/go-text.ts";
import { newResourceVersionTooLarge } from "#api/status-error.ts";
import type { ServerCore } from "./core.ts";

/** "" and "0" mean 0. The error is field.Invalid of strconv.ParseUint's error. */
export function parseRevision(text: string): { readonly revision: number } | { readonly error: string } {
  if (text === "" || text === "0") return { revision: 0 };
  if (/^[0-9]+$/.test(text) && BigInt(text) < 2n ** 64n) return { revision: Number(text) };
  const cause = /^[0-9]+$/.test(text) ? "value out of range" : "invalid syntax";
  const value = goQuote(text);
  return { error: `resourceVersion: Invalid value: ${value}: strconv.ParseUint: parsing ${value}: ${cause}` };
}

const WAIT_MS = 3_000;
const POLL_MS = 100;
export const RETRY_AFTER_SECONDS = 1;

/** Resolves once the store has reached the revision; throws a 504 after a short time. */
export async function waitForRevision(core: ServerCore, revision: number, signal: AbortSignal): Promise<void> {
  const endMs = core.clock.monotonicMs() + WAIT_MS;
  while (core.storage.revision < revision) {
    if (core.clock.monotonicMs() >= endMs) {
      throw newResourceVersionTooLarge(String(revision), String(core.storage.revision), RETRY_AFTER_SECONDS);
    }
    await core.clock.sleep(POLL_MS, signal);
  }
}
