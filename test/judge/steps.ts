// Short forms of steps.

import type { Step } from "./case.ts";

export const merge = { "content-type": "application/merge-patch+json" };
export const jsonPatch = { "content-type": "application/json-patch+json" };
export const strategic = { "content-type": "application/strategic-merge-patch+json" };
export const applyYaml = { "content-type": "application/apply-patch+yaml" };
export const asTable = { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" };
export const asMetadata = { accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1" };
export const asMetadataList = { accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1" };

export const get = (target: string, headers?: Record<string, string>): Step => ({
  method: "GET",
  target,
  ...(headers && { headers }),
});
export const post = (target: string, body: unknown, more: Partial<Step> = {}): Step => ({
  method: "POST",
  target,
  body,
  ...more,
});
export const put = (target: string, body: unknown, more: Partial<Step> = {}): Step => ({
  method: "PUT",
  target,
  body,
  ...more,
});
export const patch = (
  target: string,
  headers: Record<string, string>,
  body: unknown,
  more: Partial<Step> = {},
): Step => ({
  method: "PATCH",
  target,
  body,
  headers,
  ...more,
});
export const del = (target: string, body?: unknown, more: Partial<Step> = {}): Step => ({
  method: "DELETE",
  target,
  ...(body === undefined ? {} : { body }),
  ...more,
});

/** For later steps: "$rv" and "$uid". */
export const captureVersion = { capture: { rv: "metadata.resourceVersion", uid: "metadata.uid" } };
