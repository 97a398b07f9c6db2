// URL paths and query strings of resources.

import type { GroupVersionResource } from "#api/object.ts";
import { InvalidRequest } from "#client/errors.ts";

const PLAIN_SEGMENT = /^[A-Za-z0-9._~-]+$/;
/** encodeURIComponent escapes these, but a path allows them and other clients send them unescaped. */
const ALLOWED_IN_PATH = /%(?:24|26|2B|2C|3A|3B|3D|40)/g;
/** encodeURIComponent leaves these, but Go's clients escape them, and audit logs show the difference. */
const ESCAPED_IN_PATH = /[!'()*]/g;

// Upstream: client-go/rest/request.go, IsValidPathSegmentName
function pathSegment(value: string, what: "resource name" | "namespace"): string {
  if (value === "") throw new InvalidRequest(`${what} may not be empty`);
  if (value === "." || value === "..") throw new InvalidRequest(`invalid ${what} "${value}": [may not be '${value}']`);
  if (PLAIN_SEGMENT.test(value)) return value;
  const faults = ["/", "%"].filter((c) => value.includes(c)).map((c) => `may not contain '${c}'`);
  if (faults.length > 0) throw new InvalidRequest(`invalid ${what} ${JSON.stringify(value)}: [${faults.join(" ")}]`);
  return encodeURIComponent(value)
    .replace(ALLOWED_IN_PATH, decodeURIComponent)
    .replace(ESCAPED_IN_PATH, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

export interface ResourcePath {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

export function groupVersionPath(gv: { readonly group: string; readonly version: string }): string {
  return gv.group === "" ? `/api/${gv.version}` : `/apis/${gv.group}/${gv.version}`;
}

export function resourcePath(gvr: GroupVersionResource, at: ResourcePath): string {
  let path = groupVersionPath(gvr);
  if (at.namespace) path += `/namespaces/${pathSegment(at.namespace, "namespace")}`;
  path += `/${gvr.resource}`;
  if (at.name !== undefined) path += `/${pathSegment(at.name, "resource name")}`;
  if (at.subresource) path += `/${at.subresource}`;
  return path;
}

export type QueryValue = string | number | boolean | undefined;

/** Undefined, empty and false values are left out; the order is that of the object's keys. */
export function queryString(values: Readonly<Record<string, QueryValue>>): string {
  let query = "";
  for (const key in values) {
    const value = values[key];
    if (value === undefined || value === "" || value === false) continue;
    query += `${query === "" ? "" : "&"}${key}=${encodeURIComponent(value)}`;
  }
  return query;
}
