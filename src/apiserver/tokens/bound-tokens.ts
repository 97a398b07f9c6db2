// Tokens that the server issued: they are valid until they expire, while their account and the object that they are
// bound to exist. Upstream: pkg/serviceaccount/claims.go, Validate; jwt.go, AuthenticateToken

import { goQuote } from "#api/go-text.ts";
import { newNotFound } from "#api/status-error.ts";
import type { EpochMs } from "#base/clock.ts";
import { errorMessage } from "#base/errors.ts";
import type { ServerCore } from "../core.ts";
import {
  type AccountIdentity,
  type AccountTokens,
  accountUser,
  type NamedRef,
  type TokenClaims,
} from "./account-tokens.ts";
import { unverifiedClaims } from "./json-web-token.ts";
import { storedObject, wasDeletedBefore } from "./stored-references.ts";
import { type TokenAuthenticator, type TokenQuestion, TokenRefused } from "./token-authentication.ts";

/** The tolerated difference between clocks. */
const LEEWAY_MS = 60_000;

interface BoundClaims {
  readonly namespace?: string;
  readonly serviceaccount?: Partial<NamedRef>;
  readonly pod?: Partial<NamedRef>;
  readonly secret?: Partial<NamedRef>;
  readonly node?: Partial<NamedRef>;
}

export function boundTokens(core: () => ServerCore, tokens: AccountTokens): TokenAuthenticator {
  return {
    authenticate(token, question) {
      const claims = verifiedClaims(tokens, tokens.issuer, token);
      if (claims === undefined) return undefined;
      const audiences = sharedAudiences(tokens, claims, question);
      return { user: accountUser(identityOf(core(), claims)), audiences };
    },
  };
}

/** Undefined: from another issuer. Throws a TokenRefused for a wrong signature. */
export function verifiedClaims({ keys }: AccountTokens, issuer: string, token: string): TokenClaims | undefined {
  if (unverifiedClaims(token)?.iss !== issuer) return undefined;
  const verified = keys.verify(token);
  if ("problem" in verified) throw new TokenRefused(verified.problem);
  return verified.claims;
}

const quoteAll = (texts: readonly string[]): string => `[${texts.map((text) => goQuote(text)).join(" ")}]`;

export function sharedAudiences(
  { audiences: own }: AccountTokens,
  { aud }: TokenClaims,
  question: TokenQuestion,
): readonly string[] {
  const given = (Array.isArray(aud) ? aud : typeof aud === "string" ? [aud] : []) as readonly string[];
  const meant = given.length === 0 ? own : given;
  const asked = question.audiences ?? own;
  const shared = meant.filter((each) => asked.includes(each));
  if (shared.length === 0 && own.length > 0) {
    throw new TokenRefused(`token audiences ${quoteAll(meant)} is invalid for the target audiences ${quoteAll(asked)}`);
  }
  return shared;
}

function identityOf(core: ServerCore, claims: TokenClaims): AccountIdentity {
  const now = core.clock.now();
  checkTimes(claims, now);
  const bound = (claims["kubernetes.io"] ?? {}) as BoundClaims;
  const { namespace = "", serviceaccount = {} } = bound;
  const deadline = now - LEEWAY_MS;
  checkAccount(core, namespace, serviceaccount, deadline);
  for (const { kind, table, ref } of bindingsOf(bound)) {
    const found = storedObject(core, table, namespace, ref.name ?? "");
    if (found === undefined) throw new TokenRefused(INVALIDATED);
    const uid = found.metadata?.uid ?? "";
    if (uid !== (ref.uid ?? "")) {
      throw new TokenRefused(
        `${kind} UID (${uid}) does not match service account ${kind} ref claim (${ref.uid ?? ""})`,
      );
    }
    if (wasDeletedBefore(found, deadline)) throw new TokenRefused(INVALIDATED);
  }
  const named = ({ name = "", uid = "" }: Partial<NamedRef>): NamedRef => ({ name, uid });
  return {
    namespace,
    ...named(serviceaccount),
    ...(bound.pod === undefined ? {} : { pod: named(bound.pod) }),
    ...(bound.node === undefined ? {} : { node: named(bound.node) }),
    ...(typeof claims.jti === "string" ? { tokenId: claims.jti } : {}),
  };
}

const INVALIDATED = "service account token has been invalidated";

/** A pod's token also names its node, which may be gone. */
function bindingsOf({
  secret,
  pod,
  node,
}: BoundClaims): readonly { kind: string; table: string; ref: Partial<NamedRef> }[] {
  return [
    ...(secret === undefined ? [] : [{ kind: "secret", table: "secrets", ref: secret }]),
    ...(pod === undefined ? [] : [{ kind: "pod", table: "pods", ref: pod }]),
    ...(node === undefined || pod !== undefined ? [] : [{ kind: "node", table: "nodes", ref: node }]),
  ];
}

function checkTimes({ nbf, exp, iat }: TokenClaims, now: EpochMs): void {
  const ms = (seconds: unknown): number | undefined => (typeof seconds === "number" ? seconds * 1000 : undefined);
  if (now + LEEWAY_MS < (ms(nbf) ?? 0)) throw new TokenRefused("service account token is not valid yet");
  if (now - LEEWAY_MS > (ms(exp) ?? Number.POSITIVE_INFINITY)) {
    throw new TokenRefused("service account token has expired");
  }
  if (now + LEEWAY_MS < (ms(iat) ?? 0)) throw new TokenRefused("service account token is issued in the future");
}

function checkAccount(core: ServerCore, namespace: string, ref: Partial<NamedRef>, deadline: EpochMs): void {
  const { name = "", uid: wanted = "" } = ref;
  const account = storedObject(core, "serviceaccounts", namespace, name);
  if (account === undefined) {
    throw new TokenRefused(errorMessage(newNotFound({ group: "", resource: "serviceaccounts" }, name)));
  }
  const uid = account.metadata?.uid ?? "";
  if (uid !== wanted) throw new TokenRefused(`service account UID (${uid}) does not match claim (${wanted})`);
  if (wasDeletedBefore(account, deadline)) {
    throw new TokenRefused(`service account ${namespace}/${name} has been deleted`);
  }
}
