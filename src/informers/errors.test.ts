// How a reflector classifies errors of the API.

import { expect, it } from "vitest";
import { ApiError } from "#api/status-error.ts";
import { TransportError } from "#base/http.ts";
import { isExpiredVersion, isOverloadedOrDown, isTooLargeVersion } from "#informers/errors.ts";

const api = (code: number, reason: string, message = "", causes: { reason?: string; message?: string }[] = []) =>
  new ApiError({ code, reason, message, details: { causes } });

const TOO_LARGE = "Too large resource version: 9, current: 5";

it.each([
  { what: "410 Expired", error: api(410, "Expired"), means: "expired" },
  { what: "410 Gone", error: api(410, "Gone"), means: "expired" },
  {
    what: "504 with the cause",
    error: api(504, "Timeout", "", [{ reason: "ResourceVersionTooLarge" }]),
    means: "large",
  },
  { what: "504 with the message", error: api(504, "Timeout", TOO_LARGE), means: "large" },
  { what: "504 with the message of a cause", error: api(504, "Timeout", "", [{ message: TOO_LARGE }]), means: "large" },
  { what: "504 for another reason", error: api(504, "Timeout", "busy", [{ message: "etcd" }, {}]), means: "other" },
  { what: "500 that only talks of it", error: api(500, "InternalError", TOO_LARGE), means: "other" },
  { what: "an error that only talks of it", error: new Error(TOO_LARGE), means: "other" },
  { what: "429", error: api(429, "TooManyRequests"), means: "down" },
  { what: "a refused connection", error: new TransportError("refused", "no"), means: "down" },
  { what: "a lost connection", error: new TransportError("reset", "no"), means: "other" },
  { what: "403", error: api(403, "Forbidden"), means: "other" },
])("machinery/5.2.5 $what means: $means", ({ error, means }) => {
  const meanings = [
    ...(isExpiredVersion(error) ? ["expired"] : []),
    ...(isTooLargeVersion(error) ? ["large"] : []),
    ...(isOverloadedOrDown(error) ? ["down"] : []),
  ];
  expect(meanings.join() || "other").toBe(means);
});
