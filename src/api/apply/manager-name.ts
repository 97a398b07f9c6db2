// The field manager of a request. Upstream: k8s.io/apiserver pkg/endpoints/handlers/create.go, managerOrUserAgent,
// prefixFromUserAgent

import { byteLength } from "#api/go-text.ts";

export const managerBytesMax = 128;

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** The fieldManager of the request, or the program in its User-Agent. */
export function managerOrUserAgent(fieldManager: string | undefined, userAgent: string | undefined): string {
  if (fieldManager) return fieldManager;
  let name = "";
  for (const char of (userAgent ?? "").split("/", 1)[0] ?? "") {
    if (!PRINTABLE.test(char)) continue;
    if (byteLength(name) + byteLength(char) > managerBytesMax) break;
    name += char;
  }
  return name;
}
