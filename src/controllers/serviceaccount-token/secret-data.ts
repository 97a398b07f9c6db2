// The data that a token Secret must have, which of it is missing, and the completed Secret. An existing token is never
// read or replaced.
// Upstream: pkg/controller/serviceaccount/tokens_controller.go, secretUpdateNeeded, generateTokenIfNeeded.

import { encodeBase64 } from "#api/base64.ts";
import type { Secret, ServiceAccount } from "#api/generated/types/core-v1.ts";
import type { Stored } from "#api/resource.ts";
import { ACCOUNT_NAME_ANNOTATION, ACCOUNT_UID_ANNOTATION } from "./keys.ts";

export type TokenEntry = "ca.crt" | "namespace" | "token";

/** Without a root CA, the CA in the Secret is not changed. */
export function lackingData({ data = {} }: Pick<Secret, "data">, rootCa: string): readonly TokenEntry[] {
  const lacking: TokenEntry[] = [];
  if (rootCa !== "" && data["ca.crt"] !== base64Text(rootCa)) lacking.push("ca.crt");
  if (!data.namespace) lacking.push("namespace");
  if (!data.token) lacking.push("token");
  return lacking;
}

export interface TokenSources {
  readonly rootCa: string;
  /** Signs a token; called only when the Secret has none. */
  readonly token: () => string;
}

export function filledSecret(
  secret: Stored<Secret>,
  account: Stored<ServiceAccount>,
  { rootCa, token }: TokenSources,
): Stored<Secret> {
  const { metadata } = secret;
  const sources: Readonly<Record<TokenEntry, () => string>> = {
    "ca.crt": () => rootCa,
    namespace: () => metadata.namespace,
    token,
  };
  const added = lackingData(secret, rootCa).map((entry) => [entry, base64Text(sources[entry]())]);
  return {
    ...secret,
    metadata: {
      ...metadata,
      annotations: {
        ...metadata.annotations,
        [ACCOUNT_NAME_ANNOTATION]: account.metadata.name,
        [ACCOUNT_UID_ANNOTATION]: account.metadata.uid,
      },
    },
    data: { ...secret.data, ...Object.fromEntries(added) },
  };
}

const encoder = new TextEncoder();
const base64Text = (text: string): string => encodeBase64(encoder.encode(text));
