// API approvals, which definitions in groups of the Kubernetes project need.
// Upstream: apiextensions-apiserver/pkg/apihelpers, GetAPIApprovalState

import { parseRequestUri } from "#cel/go-url.ts";
import type { CustomResourceDefinition } from "#cel/json-schema.ts";

export const APPROVED_ANNOTATION = "api-approved.kubernetes.io";

export type Approval = { readonly state: "missing" | "bypassed" | "approved" | "invalid"; readonly reason: string };

/** Undefined: the group needs no approval. */
export function approvalOf({ spec, metadata }: CustomResourceDefinition): Approval | undefined {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(spec.group ?? "")) return undefined;
  const annotation = metadata?.annotations?.[APPROVED_ANNOTATION] ?? "";
  const needed = `protected groups must have approval annotation "${APPROVED_ANNOTATION}"`;
  const see = "see https://github.com/kubernetes/enhancements/pull/1111";
  if (annotation === "") return { state: "missing", reason: `${needed}, ${see}` };
  if (annotation.startsWith("unapproved"))
    return { state: "bypassed", reason: `not approved: ${JSON.stringify(annotation)}` };
  const url = parseRequestUri(annotation);
  if (url !== undefined && url.host !== "" && url.scheme !== "") {
    return { state: "approved", reason: `approved in ${annotation}` };
  }
  return { state: "invalid", reason: `${needed} with either a URL or a reason starting with "unapproved", ${see}` };
}
