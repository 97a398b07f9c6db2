// The ConfigMap that tells extension API servers how to authenticate: the client CA, and the front proxy's CA and
// headers. Entries of other servers are kept.
// Upstream: pkg/controlplane/controller/clusterauthenticationtrust/cluster_authentication_trust_controller.go

import type { ConfigMap } from "#api/generated/types/core-v1.ts";
import { withMeta } from "#api/object-meta.ts";
import { deepEqual } from "#api/patch/json-value.ts";
import type { ServerCore } from "../core.ts";
import type { AuthenticationOptions } from "../filters/authenticate.ts";
import { createOwn, rowNamed, updateOwn } from "../write/own-objects.ts";

const PLACE = { name: "extension-apiserver-authentication", namespace: "kube-system" };
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----\n?/g;

/** Does nothing if the server trusts no client certificates. */
export function bootstrapAuthenticationConfig(core: ServerCore, options: AuthenticationOptions): void {
  const wanted = dataOf(options);
  if (Object.keys(wanted).length === 0) return;
  if (createOwn(core, "configmaps", { metadata: PLACE, data: wanted } as ConfigMap) !== undefined) return;
  const row = rowNamed(core, "configmaps");
  const stored = core.tableOf(row).get(`${PLACE.namespace}/${PLACE.name}`);
  if (stored === undefined) return;
  const existing = (stored.object as ConfigMap).data ?? {};
  const data = { ...existing };
  for (const [key, value] of Object.entries(wanted)) {
    const before = existing[key] ?? "";
    data[key] = key.endsWith("-ca-file") ? joinedCertificates(before, value) : joinedList(before, value);
  }
  if (deepEqual(data, existing)) return;
  updateOwn(core, row, stored, { ...withMeta(stored.object, {}), data } as ConfigMap);
}

function dataOf({ clientCa, requestHeader }: AuthenticationOptions): Readonly<Record<string, string>> {
  const list = (items: readonly string[]): string => JSON.stringify(items);
  return {
    ...(clientCa !== undefined && { "client-ca-file": clientCa }),
    ...(requestHeader !== undefined && {
      "requestheader-allowed-names": list(requestHeader.allowedNames),
      "requestheader-client-ca-file": requestHeader.ca,
      "requestheader-extra-headers-prefix": list(requestHeader.extraHeaderPrefixes),
      "requestheader-group-headers": list(requestHeader.groupHeaders),
      ...(requestHeader.uidHeaders.length > 0 && { "requestheader-uid-headers": list(requestHeader.uidHeaders) }),
      "requestheader-username-headers": list(requestHeader.usernameHeaders),
    }),
  };
}

function joinedCertificates(before: string, own: string): string {
  const blocks = (text: string): readonly string[] =>
    (text.match(CERTIFICATE) ?? []).map((block) => `${block.trim()}\n`);
  return [...new Set([...blocks(before), ...blocks(own)])].join("");
}

function joinedList(before: string, own: string): string {
  return JSON.stringify([...new Set([...listOf(before), ...listOf(own)])]);
}

/** Empty if the text is not a JSON list. */
function listOf(text: string): readonly string[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter((item) => typeof item === "string") : [];
  } catch {
    return [];
  }
}
