// Tokens that a controller stored in Secrets: they are valid as long as the Secret holds them. The last day of use is
// recorded on the Secret, so that unused ones can be deleted.
// Upstream: pkg/serviceaccount/legacy.go

import { decodeBase64 } from "#api/base64.ts";
import type { Secret, ServiceAccount } from "#api/generated/types/core-v1.ts";
import type { KubeObject } from "#api/object.ts";
import { withMeta, withResourceVersion } from "#api/object-meta.ts";
import { newNotFound } from "#api/status-error.ts";
import { formatTime } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";
import { errorMessage } from "#base/errors.ts";
import { internalCall } from "../admission/internal-call.ts";
import type { ServerCore } from "../core.ts";
import { recordUpdate } from "../managed-fields.ts";
import { type AccountTokens, accountUser, accountUserName, LEGACY_ISSUER, type TokenClaims } from "./account-tokens.ts";
import { sharedAudiences, verifiedClaims } from "./bound-tokens.ts";
import { storedObject } from "./stored-references.ts";
import { type TokenAuthenticator, TokenRefused } from "./token-authentication.ts";

const PREFIX = "kubernetes.io/serviceaccount";
const LAST_USED = "kubernetes.io/legacy-token-last-used";
const INVALID_SINCE = "kubernetes.io/legacy-token-invalid-since";
const DAY_MS = 24 * 3_600_000;

export function legacyTokens(core: () => ServerCore, tokens: AccountTokens): TokenAuthenticator {
  return {
    authenticate(token, question) {
      const claims = verifiedClaims(tokens, LEGACY_ISSUER, token);
      if (claims === undefined) return undefined;
      const audiences = sharedAudiences(tokens, claims, question);
      const identity = identityOf(claims);
      checkStored(core(), identity, token, question.addWarning);
      return { user: accountUser(identity), audiences };
    },
  };
}

interface LegacyIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly secretName: string;
}

function identityOf(claims: TokenClaims): LegacyIdentity {
  const text = (name: string, label: string): string => {
    const value = claims[name];
    if (typeof value !== "string" || value === "") throw new TokenRefused(`${label} claim is missing`);
    return value;
  };
  const subject = text("sub", "sub");
  const namespace = text(`${PREFIX}/namespace`, "namespace");
  const secretName = text(`${PREFIX}/secret.name`, "secretName");
  const name = text(`${PREFIX}/service-account.name`, "serviceAccountName");
  const uid = text(`${PREFIX}/service-account.uid`, "serviceAccountUID");
  if (subject !== accountUserName(namespace, name)) throw new TokenRefused("sub claim is invalid");
  return { namespace, name, uid, secretName };
}

function checkStored(
  core: ServerCore,
  { namespace, name, uid, secretName }: LegacyIdentity,
  token: string,
  addWarning: (text: string) => void,
): void {
  const secret = storedObject(core, "secrets", namespace, secretName) as Secret | undefined;
  if (secret === undefined || secret.metadata?.deletionTimestamp !== undefined) {
    throw new TokenRefused("Token has been invalidated");
  }
  const kept = new TextDecoder().decode(decodeBase64(secret.data?.token ?? ""));
  if (kept !== token) throw new TokenRefused("Token does not match server's copy");
  const account = storedObject(core, "serviceaccounts", namespace, name) as ServiceAccount | undefined;
  if (account === undefined) {
    throw new TokenRefused(errorMessage(newNotFound({ group: "", resource: "serviceaccounts" }, name)));
  }
  if (account.metadata?.deletionTimestamp !== undefined) {
    throw new TokenRefused(`ServiceAccount ${namespace}/${name} has been deleted`);
  }
  if (account.metadata?.uid !== uid) {
    throw new TokenRefused(`ServiceAccount UID (${account.metadata?.uid ?? ""}) does not match claim (${uid})`);
  }
  noteUse(core, secret as KubeObject, core.clock.now());
  if (secret.metadata?.labels?.[INVALID_SINCE]) {
    const what = `the token in secret ${namespace}/${secretName} for service account ${namespace}/${name} has been marked invalid`;
    const advice = `Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${INVALID_SINCE}' label from the secret to temporarily allow use of this token`;
    throw new TokenRefused(`${what}. ${advice}`);
  }
  if (account.secrets?.some((ref) => ref.name === secretName)) {
    addWarning(
      "Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.",
    );
  }
}

/** At most once a day; servers in other time zones may be a day ahead. */
function noteUse(core: ServerCore, secret: KubeObject, now: EpochMs): void {
  const day = (time: EpochMs): string => formatTime(time).slice(0, "2006-01-02".length);
  const { name = "", namespace = "", labels } = secret.metadata ?? {};
  const lastUsed = labels?.[LAST_USED];
  if (lastUsed === day(now) || lastUsed === day(now + DAY_MS)) return;
  const row = core.registry.row("secrets");
  const stored = row && core.tableOf(row).get(`${namespace}/${name}`);
  if (row === undefined || stored === undefined) return;
  const labelled = withMeta(stored.object, { labels: { ...labels, [LAST_USED]: day(now) } });
  const call = internalCall(core, row, { namespace, name, subresource: "", now });
  const written = recordUpdate(core, call, stored.object, labelled, "kube-apiserver");
  core.tableOf(row).update(stored, (revision) => withResourceVersion(written, revision));
}
