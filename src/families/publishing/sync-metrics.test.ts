import { expect, it } from "vitest";
import { ApiError, newNotFound } from "#api/status-error.ts";
import { failureCode } from "./sync-metrics.ts";

it.each([
  { what: "an answer of the API server", error: newNotFound({ group: "", resource: "configmap" }, "a"), code: "404" },
  { what: "an answer without a code", error: new ApiError({}), code: "500" },
  { what: "anything else", error: new Error("test"), code: "500" },
])(
  "root-ca-certificate-publisher/metrics kube-apiserver-serving-clustertrustbundle-publisher/metrics $what counts as $code",
  ({ error, code }) => {
    expect(failureCode(error)).toBe(code);
  },
);
