// The signatures of the cluster-info ConfigMap: one for each bootstrap token that may sign.
// Upstream: pkg/controller/bootstrap/bootstrapsigner.go, signConfigMap; util.go; k8s.io/cluster-bootstrap/token/jws

import { decodeBase64, encodeBase64 } from "#api/base64.ts";
import type { Secret } from "#api/generated/types/core-v1.ts";
import type { Stored } from "#api/resource.ts";
import type { EpochMs } from "#base/clock.ts";
import type { Keys } from "#base/host.ts";
import { expirationOf, isBootstrapToken, tokenText } from "#families/bootstrap-tokens/bootstrap-token.ts";

const SIGNATURE_PREFIX = "jws-kubeconfig-";
const TOKEN_NAME = /^bootstrap-token-([a-z0-9]{6})$/;

interface SigningToken {
  readonly id: string;
  readonly secret: Uint8Array;
}

/** Undefined: the token may not sign. */
export function signingToken(secret: Stored<Secret>, now: EpochMs): SigningToken | undefined {
  const [, id = ""] = TOKEN_NAME.exec(secret.metadata.name) ?? [];
  if (!isBootstrapToken(secret) || id === "" || tokenText(secret, "token-id") !== id) return undefined;
  const key = secret.data?.["token-secret"] ?? "";
  if (key === "" || tokenText(secret, "usage-bootstrap-signing") !== "true") return undefined;
  const expiration = expirationOf(secret);
  return expiration !== "never" && expiration <= now ? undefined : { id, secret: decodeBase64(key) };
}

/** The data with the signatures of these tokens and no others; undefined: no change. */
export function signedData(
  data: Readonly<Record<string, string>>,
  tokens: readonly SigningToken[],
  keys: Pick<Keys, "hmacSha256">,
): Readonly<Record<string, string>> | undefined {
  const { kubeconfig } = data;
  if (kubeconfig === undefined) return undefined;
  const rest = Object.entries(data).filter(([key]) => !key.startsWith(SIGNATURE_PREFIX));
  const signatures = tokens.map(
    (token) => [`${SIGNATURE_PREFIX}${token.id}`, detachedSignature(kubeconfig, token, keys)] as const,
  );
  const signed = Object.fromEntries([...rest, ...signatures]);
  const isSame =
    Object.keys(data).length === Object.keys(signed).length &&
    Object.entries(signed).every(([key, value]) => data[key] === value);
  return isSame ? undefined : signed;
}

/** A JWS (RFC 7515) in compact form, without the content. */
function detachedSignature(
  content: string,
  { id, secret }: SigningToken,
  { hmacSha256 }: Pick<Keys, "hmacSha256">,
): string {
  const encoder = new TextEncoder();
  const header = base64Url(encoder.encode(JSON.stringify({ alg: "HS256", kid: id })));
  const signed = encoder.encode(`${header}.${base64Url(encoder.encode(content))}`);
  return `${header}..${base64Url(hmacSha256(secret, signed))}`;
}

const base64Url = (bytes: Uint8Array): string =>
  encodeBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
