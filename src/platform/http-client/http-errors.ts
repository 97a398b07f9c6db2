// Translates the errors that the runtimes throw for a failed exchange. They are told apart by code, never by message.
import { goQuote } from "#api/go-text.ts";
import { errorMessage } from "#base/errors.ts";
import { type HttpRequest, TransportError, type TransportFailure } from "#base/http.ts";
import { targetOf } from "./http1-request.ts";

const byCode: Readonly<Record<string, TransportFailure>> = {
  ECONNREFUSED: "refused",
  ECONNRESET: "reset",
  ECONNABORTED: "reset",
  EPIPE: "reset",
  ETIMEDOUT: "timeout",
  ENOTFOUND: "dns",
  EAI_AGAIN: "dns",
  EAI_FAIL: "dns",
  EAI_NODATA: "dns",
  EPROTO: "tls",
};

const tlsCode =
  /^(ERR_TLS|ERR_SSL|ERR_OSSL|ERR_BORINGSSL|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|INVALID_(CA|PURPOSE)|HOSTNAME_MISMATCH)/;

const UNKNOWN_AUTHORITY = "tls: failed to verify certificate: x509: certificate signed by unknown authority";
const NOT_VALID_NOW = "tls: failed to verify certificate: x509: certificate has expired or is not yet valid";

/** Messages of Go's libraries by error code, because operators search logs for them. */
const words: Readonly<Record<string, (address: string) => string>> = {
  ECONNREFUSED: (address) => `dial tcp ${address}: connect: connection refused`,
  EHOSTUNREACH: (address) => `dial tcp ${address}: connect: no route to host`,
  ENETUNREACH: (address) => `dial tcp ${address}: connect: network is unreachable`,
  ENOTFOUND: (address) => `dial tcp: lookup ${address.replace(/:\d+$/, "")}: no such host`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: () => UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: () => UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: () => UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: () => UNKNOWN_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: () => UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: () => NOT_VALID_NOW,
  CERT_NOT_YET_VALID: () => NOT_VALID_NOW,
};

function failureOf(error: unknown): TransportFailure {
  if (error instanceof TransportError) return error.failure;
  const code = codeOf(error);
  const known = byCode[code];
  if (known !== undefined) return known;
  return tlsCode.test(code) ? "tls" : "other";
}

/** The error to throw for a failed exchange: the reason of an abort, or a TransportError. */
export function exchangeError(error: unknown, request: HttpRequest, origin: string, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  const code = codeOf(error);
  const text = errorMessage(error);
  const detail = words[code]?.(addressOf(origin)) ?? (code === "" || text.includes(code) ? text : `${text} (${code})`);
  // In the form of net/http, because operators search logs for it.
  const verb = request.method.slice(0, 1) + request.method.slice(1).toLowerCase();
  const message = `${verb} ${goQuote(targetOf(request, origin))}: ${detail}`;
  return new TransportError(failureOf(error), message, { cause: error });
}

function addressOf(origin: string): string {
  const { hostname, port, protocol } = new URL(origin);
  return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
}

/** The code of an error. An AggregateError, with one error per address of the host, yields its first code. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  const { code } = error as { code?: unknown };
  if (typeof code === "string") return code;
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  return codeOf(error.cause);
}
