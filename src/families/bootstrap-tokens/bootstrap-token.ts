// Bootstrap tokens: the Secrets that hold them, and when they expire.
// Upstream: k8s.io/cluster-bootstrap/util/secrets

import { decodeBase64 } from "#api/base64.ts";
import type { Secret } from "#api/generated/types/core-v1.ts";
import type { Stored } from "#api/resource.ts";
import { parseTime } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";

/**
 * "never" without an expiration. A malformed time counts as expired: a typing error must not make a token valid for
 * ever.
 */
export function expirationOf(secret: Secret): EpochMs | "never" {
  const text = tokenText(secret, "expiration");
  if (text === "") return "never";
  try {
    return parseTime(text);
  } catch {
    return 0;
  }
}

export const isBootstrapToken = ({ type, metadata }: Stored<Secret>): boolean =>
  type === "bootstrap.kubernetes.io/token" && metadata.namespace === "kube-system";

/** The value of a key of the Secret; "" when it is missing. */
export function tokenText({ data }: Secret, key: string): string {
  return new TextDecoder().decode(decodeBase64(data?.[key] ?? ""));
}
