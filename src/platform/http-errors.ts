// What the runtimes throw when an exchange fails, told apart by their codes, never by their texts.
import { errorMessage } from "#base/errors.ts";
import { type HttpRequest, TransportError, type TransportFailure } from "#base/http.ts";

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

function failureOf(error: unknown): TransportFailure {
  if (error instanceof TransportError) return error.failure;
  const code = codeOf(error);
  const known = byCode[code];
  if (known !== undefined) return known;
  return tlsCode.test(code) ? "tls" : "other";
}

/** The error to throw for a failed exchange: an abort's own reason, or a TransportError that says what failed. */
export function exchangeError(error: unknown, request: HttpRequest, origin: string, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  const code = codeOf(error);
  const text = errorMessage(error);
  const detail = code === "" || text.includes(code) ? text : `${text} (${code})`;
  return new TransportError(failureOf(error), `${request.method} ${origin}${request.path}: ${detail}`, {
    cause: error,
  });
}

/** The code of an error, or of the first of several: one for each address of a host. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  const { code } = error as { code?: unknown };
  if (typeof code === "string") return code;
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  return codeOf(error.cause);
}
