// Defaults of device requests, in claims and in their templates. Versions place the same fields differently.
// Upstream: pkg/apis/resource/{v1,v1beta1,v1beta2}/defaults.go

import { all, at, each, isZero, type JsonObject, type Rule, zero } from "#kinds/parts/defaulting.ts";

const exactCount: Rule = all(zero({ allocationMode: "ExactCount" }), (request, ctx) =>
  request.allocationMode === "ExactCount" ? zero({ count: 1 })(request, ctx) : request,
);

export const deviceTolerations: Rule = each("tolerations", zero({ operator: "Equal" }));

const firstAvailable: Rule = each("firstAvailable", all(exactCount, deviceTolerations));

const nestedRequest: Rule = all(at("exactly", all(exactCount, deviceTolerations)), firstAvailable);

// v1beta1 has the fields of an exact request next to firstAvailable; a class name marks an exact request.
const flatRequest: Rule = all(
  (request: JsonObject, ctx) => (isZero(request.deviceClassName) ? request : exactCount(request, ctx)),
  firstAvailable,
  deviceTolerations,
);

const specOf = (request: Rule): Rule => at("devices", each("requests", request));

/** Defaults of a claim's spec, by version. */
export const claimSpecs: Readonly<Record<"v1" | "v1beta1" | "v1beta2", Rule>> = {
  v1: specOf(nestedRequest),
  v1beta1: specOf(flatRequest),
  v1beta2: specOf(nestedRequest),
};
