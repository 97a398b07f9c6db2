// OpenID discovery: the issuer of service account tokens, and the keys to verify them. Served if tokens are signed with
// asymmetric keys and the issuer is a valid URL for the protocol.
// Upstream: pkg/serviceaccount/openidmetadata.go; pkg/routes/openidmetadata.go

import type { HttpResponse } from "#base/http.ts";
import type { ServerCore } from "../core.ts";
import { methodNotAllowed } from "../errors.ts";
import { checkRoute } from "../representation.ts";
import type { RequestContext } from "../request-context.ts";

export const CONFIGURATION_PATH = "/.well-known/openid-configuration";
export const KEYS_PATH = "/openid/v1/jwks";
const ISSUER = /^https:\/\/[^?#]*$/;
/** How long clients may cache them, in seconds. */
const MAX_AGE = 3600;

interface Page {
  readonly path: string;
  readonly type: string;
  readonly value: unknown;
  readonly bytes: Uint8Array;
}

export interface OpenIdPages {
  readonly paths: readonly string[];
  /** Undefined for other paths. */
  handle(context: RequestContext): HttpResponse | undefined;
}

export function openIdPages({ accountTokens, serverAddress }: ServerCore): OpenIdPages {
  const keys = accountTokens?.keys.publicKeys ?? [];
  if (accountTokens === undefined || keys.length === 0 || !ISSUER.test(accountTokens.issuer)) {
    return { paths: [], handle: () => undefined };
  }
  const configuration = {
    issuer: accountTokens.issuer,
    jwks_uri: `https://${serverAddress}${KEYS_PATH}`,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [...new Set(keys.map(({ alg }) => alg))].sort(),
  };
  const pages = [
    page(CONFIGURATION_PATH, "application/json", configuration),
    page(KEYS_PATH, "application/jwk-set+json", { keys }),
  ];
  return {
    paths: [CONFIGURATION_PATH, KEYS_PATH],
    handle(context) {
      const wanted = context.info.path.replace(/\/+$/, "");
      const found = pages.find(({ path }) => path === wanted);
      return found && respond(context, found);
    },
  };
}

function page(path: string, type: string, value: unknown): Page {
  return { path, type, value, bytes: new TextEncoder().encode(JSON.stringify(value)) };
}

function respond({ request }: RequestContext, { type, value, bytes }: Page): HttpResponse {
  if (request.method !== "GET") throw methodNotAllowed();
  checkRoute(request, type);
  const headers = { "cache-control": `public, max-age=${MAX_AGE}`, "content-type": type };
  return { status: 200, headers, body: request.direct ? { kind: "object", value } : { kind: "bytes", bytes } };
}
