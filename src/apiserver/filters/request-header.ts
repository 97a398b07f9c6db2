// The user that a front proxy names: the proxy authenticates with its certificate and names the user in headers.
// Upstream: k8s.io/apiserver/pkg/authentication/request/headerrequest

import type { UserInfo } from "#api/user-info.ts";
import type { HttpHeaders } from "#base/http.ts";

export interface RequestHeaderOptions {
  /** PEM of the CA that signs certificates of front proxies. */
  readonly ca: string;
  /** Common names of the trusted proxies; empty: all. */
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
}

/** Undefined: the proxy names no user, or is not trusted. */
export function frontProxyUser(
  commonName: string,
  headers: HttpHeaders,
  options: RequestHeaderOptions,
): UserInfo | undefined {
  const { allowedNames, usernameHeaders, uidHeaders, groupHeaders, extraHeaderPrefixes } = options;
  if (allowedNames.length > 0 && !allowedNames.includes(commonName)) return undefined;
  const firstOf = (names: readonly string[]): string => names.flatMap((name) => valuesOf(headers, name))[0] ?? "";
  const name = firstOf(usernameHeaders);
  if (name === "") return undefined;
  const uid = firstOf(uidHeaders);
  const extra = extraOf(headers, extraHeaderPrefixes);
  return {
    name,
    groups: groupHeaders.flatMap((header) => valuesOf(headers, header)),
    ...(uid !== "" && { uid }),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

function extraOf(headers: HttpHeaders, prefixes: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const extra: Record<string, readonly string[]> = {};
  for (const prefix of prefixes.map((text) => text.toLowerCase())) {
    for (const header of Object.keys(headers)) {
      if (!header.startsWith(prefix)) continue;
      const key = unescaped(header.slice(prefix.length));
      extra[key] = [...(extra[key] ?? []), ...valuesOf(headers, header)];
    }
  }
  return extra;
}

export function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key; // upstream keeps an undecodable key unchanged
  }
}

function valuesOf(headers: HttpHeaders, name: string): readonly string[] {
  const value = headers[name.toLowerCase()] ?? [];
  return (typeof value === "string" ? [value] : value).filter((text) => text !== "");
}
