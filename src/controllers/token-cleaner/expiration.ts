// When a bootstrap token expires. Upstream: k8s.io/cluster-bootstrap/util/secrets, GetExpiration.

import { decodeBase64 } from "#api/base64.ts";
import type { Secret } from "#api/generated/types/core-v1.ts";
import { parseTime } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";

/** "never" without an expiration; a time that cannot be read has passed: the token must not live for ever by a typing error. */
export function expirationOf({ data }: Secret): EpochMs | "never" {
  const text = new TextDecoder().decode(decodeBase64(data?.expiration ?? ""));
  if (text === "") return "never";
  try {
    return parseTime(text);
  } catch {
    return 0;
  }
}
