// Issues and recognises tokens of service accounts. The host signs and verifies: with real keys in a program, with a
// checksum in the simulation.
// Upstream: pkg/serviceaccount/jwt.go

import type { UserInfo } from "#api/user-info.ts";
import type { EpochMs } from "#base/clock.ts";

export type TokenClaims = Readonly<Record<string, unknown>>;

/** A public key in the form of RFC 7517, with its fields in upstream's order. */
export interface PublicJwk {
  readonly use: "sig";
  readonly kty: string;
  /** Tokens name the key that signed them by this id. */
  readonly kid: string;
  readonly crv?: string;
  readonly alg: string;
  readonly x?: string;
  readonly y?: string;
  readonly n?: string;
  readonly e?: string;
}

export interface TokenKeys {
  /** The public keys for verification by others; absent: none are published. */
  readonly publicKeys?: readonly PublicJwk[];
  /** A signed token in its compact form. */
  sign(claims: TokenClaims): string;
  /** The token's claims if one of the keys signed it; otherwise the problem. */
  verify(token: string): { readonly claims: TokenClaims } | { readonly problem: string };
}

export interface AccountTokens {
  readonly issuer: string;
  /** The server's audiences, which are the default of a token. */
  readonly audiences: readonly string[];
  readonly keys: TokenKeys;
}

export const LEGACY_ISSUER = "kubernetes/serviceaccount";

/** A token's account, and the object that it is bound to. */
export interface AccountIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly pod?: NamedRef;
  readonly node?: NamedRef;
  /** The token's id. */
  readonly tokenId?: string;
}

export interface NamedRef {
  readonly name: string;
  readonly uid: string;
}

/** Upstream: k8s.io/apiserver/pkg/authentication/serviceaccount/util.go, UserInfo */
export function accountUser({ namespace, name, uid, pod, node, tokenId = "" }: AccountIdentity): UserInfo {
  const extra: Record<string, readonly string[]> = {};
  if (pod !== undefined && pod.name !== "" && pod.uid !== "") {
    extra[`${EXTRA}/pod-name`] = [pod.name];
    extra[`${EXTRA}/pod-uid`] = [pod.uid];
  }
  if (tokenId !== "") extra[`${EXTRA}/credential-id`] = [`JTI=${tokenId}`];
  if (node !== undefined && node.name !== "") {
    extra[`${EXTRA}/node-name`] = [node.name];
    if (node.uid !== "") extra[`${EXTRA}/node-uid`] = [node.uid];
  }
  return {
    name: accountUserName(namespace, name),
    uid,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`],
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

const EXTRA = "authentication.kubernetes.io";

export const accountUserName = (namespace: string, name: string): string =>
  `system:serviceaccount:${namespace}:${name}`;

export interface ClaimsInput {
  readonly account: { readonly namespace: string } & NamedRef;
  readonly pod?: NamedRef;
  readonly secret?: NamedRef;
  readonly node?: NamedRef;
  readonly now: EpochMs;
  readonly expirationSeconds: number;
  /** The seconds after which use is reported, although it is still allowed. */
  readonly warnAfterSeconds?: number;
  readonly audiences: readonly string[];
  readonly issuer: string;
  readonly tokenId: string;
}

/** Sorted by name. Upstream: pkg/serviceaccount/claims.go, Claims */
export function accountClaims(input: ClaimsInput): TokenClaims {
  const { account, pod, secret, node, warnAfterSeconds } = input;
  const nowSeconds = Math.floor(input.now / 1000);
  const ref = ({ name, uid }: NamedRef): Partial<NamedRef> => (uid === "" ? { name } : { name, uid });
  return {
    aud: input.audiences,
    exp: nowSeconds + input.expirationSeconds,
    iat: nowSeconds,
    iss: input.issuer,
    jti: input.tokenId,
    "kubernetes.io": {
      namespace: account.namespace,
      ...(node === undefined ? {} : { node: ref(node) }),
      ...(pod === undefined ? {} : { pod: ref(pod) }),
      ...(secret === undefined ? {} : { secret: ref(secret) }),
      serviceaccount: ref(account),
      ...(warnAfterSeconds === undefined ? {} : { warnafter: nowSeconds + warnAfterSeconds }),
    },
    nbf: nowSeconds,
    sub: accountUserName(account.namespace, account.name),
  };
}
