// Continue tokens: the position and revision of a paged list. The format is upstream's, so that tokens are comparable.
// Upstream: k8s.io/apiserver/pkg/storage/continue.go

import { newBadRequest } from "#api/status-error.ts";
import { errorMessage } from "#base/errors.ts";
import { readGoJson } from "./decoding/go-json.ts";

export interface ContinueToken {
  /** Below 0: continue with the latest state instead of the list's original one. */
  readonly revision: number;
  /** Relative to the list's key prefix. */
  readonly startKey: string;
}

export function encodeContinue({ revision, startKey }: ContinueToken): string {
  const json = JSON.stringify({ v: "meta.k8s.io/v1", rv: revision, start: startKey });
  const bytes = new TextEncoder().encode(json);
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}

/** Throws a 400 for an invalid token. */
export function decodeContinue(text: string): ContinueToken {
  const token = parse(text);
  if (token.v !== "meta.k8s.io/v1") {
    throw invalid(`continue key is not valid: server does not recognize this encoded version ${token.v}`);
  }
  if (token.rv === 0) {
    throw invalid("continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  }
  if (token.start === "") throw invalid("continue key is not valid: encoded start key empty (version meta.k8s.io/v1)");
  const start = token.start.startsWith("/") ? token.start.slice(1) : token.start;
  // A key with "..", "." or repeated slashes could leave the list's prefix.
  if (start === "" || /(^|\/)(\.{0,2})(\/|$)/.test(start)) throw invalid(`continue key is not valid: ${token.start}`);
  return { revision: token.rv, startKey: start };
}

function parse(text: string): { v: string; rv: number; start: string } {
  if (/[^A-Za-z0-9_-]/.test(text)) {
    const at = text.search(/[^A-Za-z0-9_-]/);
    throw invalid(`continue key is not valid: illegal base64 data at input byte ${at}`);
  }
  let binary: string;
  let json: string;
  try {
    binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    json = new TextDecoder().decode(Uint8Array.from(binary, (char) => char.charCodeAt(0)));
  } catch {
    throw invalid(`continue key is not valid: illegal base64 data at input byte ${text.length - 1}`);
  }
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw invalid(`continue key is not valid: ${syntaxError(binary)}`);
  }
  const { v, rv, start } = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  return {
    v: typeof v === "string" ? v : "",
    rv: Number.isSafeInteger(rv) ? (rv as number) : 0,
    start: typeof start === "string" ? start : "",
  };
}

/** Go's error for text that is not JSON, which names the first invalid byte. */
function syntaxError(json: string): string {
  try {
    readGoJson(json, true);
    return "unexpected end of JSON input";
  } catch (error) {
    return errorMessage(error);
  }
}

function invalid(reason: string): Error {
  return newBadRequest(`invalid continue token: ${reason}`);
}
