// The name of a signer's trust bundle. It includes a hash of the bundle, so that another bundle has another name.
// Upstream: pkg/controller/certificates/clustertrustbundlepublisher/publisher.go, constructBundleName

import type { Keys } from "#base/host.ts";

const HASH_BYTES = 12;

export function bundleName(signerName: string, bundle: string, { sha256 }: Pick<Keys, "sha256">): string {
  const hash = sha256(new TextEncoder().encode(bundle)).subarray(0, HASH_BYTES);
  const hex = Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${signerName.replaceAll("/", ":")}:${hex}`;
}
