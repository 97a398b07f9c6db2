// The cluster's authentication settings: CA bundles and front proxy headers, from the ConfigMap
// kube-system/extension-apiserver-authentication.
// Upstream: apiserver/pkg/server/options/authentication_dynamic_request_header.go; server/dynamiccertificates.

import type { ConfigMap } from "#api/generated/types/core-v1.ts";
import type { RequestHeaderNames } from "./authentication.ts";

export const authenticationConfigMap = {
  namespace: "kube-system",
  name: "extension-apiserver-authentication",
} as const;

export interface ClusterAuthentication {
  /** PEM; "" when the ConfigMap has none. */
  readonly clientCa: string;
  readonly requestHeaderCa: string;
  readonly requestHeader: RequestHeaderNames;
}

/** Throws when a field that must be a list is not one. */
export function clusterAuthentication({ data = {} }: ConfigMap): ClusterAuthentication {
  const list = (key: string): readonly string[] => stringList(data[key] ?? "");
  return {
    clientCa: data["client-ca-file"] ?? "",
    requestHeaderCa: data["requestheader-client-ca-file"] ?? "",
    requestHeader: {
      usernameHeaders: list("requestheader-username-headers"),
      uidHeaders: list("requestheader-uid-headers"),
      groupHeaders: list("requestheader-group-headers"),
      extraHeaderPrefixes: list("requestheader-extra-headers-prefix"),
      allowedNames: list("requestheader-allowed-names"),
    },
  };
}

function stringList(json: string): readonly string[] {
  if (json === "") return [];
  const value: unknown = JSON.parse(json);
  if (!Array.isArray(value) || !value.every((item) => typeof item === "string")) {
    throw new Error(`json: cannot unmarshal ${json} into a list of strings`);
  }
  return value;
}
