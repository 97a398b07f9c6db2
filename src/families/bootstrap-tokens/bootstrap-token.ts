// Bootstrap tokens: the Secrets that hold them, and when they expire.
// Upstream: k8s.io/cluster-bootstrap/util/secrets

import { decodeBase64 } from "#api/base64.ts";
import type { Secret } from "#api/generated/types/core-v1.ts";
import type { Stored } from "#api/resource.ts";
import { parseTime } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";

/** "never" without an expiration; a time that cannot be read has passed: the token must not live for ever by a typing error. */
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

/** Of a key of the Secret; "" when there is none. */
export function tokenText({ data }: Secret, key: string): string {
  return new TextDecoder().decode(decodeBase64(data?.[key] ?? ""));
}
