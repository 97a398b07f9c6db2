// Refuses objects that are too large for etcd.
//
// Deviation: upstream measures the protobuf form. The size is measured only after a large request: small ones cannot
// make an object grow that much at once.

import type { KubeObject } from "#api/object.ts";
import { bareFailure } from "#api/status-error.ts";
import { stringifyJson } from "#base/json.ts";
import type { ResourceCall } from "../core.ts";

const OBJECT_BYTES_MAX = 1.5 * 1024 * 1024;
const LARGE_BODY_BYTES = 256 * 1024;

export function checkSize({ context }: ResourceCall, object: KubeObject): void {
  const { body } = context.request;
  const isLarge =
    body !== undefined && (body.kind === "bytes" ? body.bytes.length > LARGE_BODY_BYTES : body.kind === "stream");
  if (isLarge && new TextEncoder().encode(stringifyJson(object)).length > OBJECT_BYTES_MAX)
    throw bareFailure(500, "", "etcdserver: request is too large");
}
