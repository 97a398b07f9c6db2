// Resource claims. Upstream: pkg/registry/resource/resourceclaim/strategy.go; pkg/apis/resource/v1/defaults.go

import type * as resource from "#api/generated/types/resource-v1.ts";
import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { all, at, each, type Rule } from "#kinds/parts/defaulting.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { schemaOnly } from "#kinds/strategy.ts";
import { claimSpecs, deviceTolerations } from "./request-defaults.ts";

function claimState({ metadata, status }: resource.ResourceClaim): string {
  const states = metadata?.deletionTimestamp ? ["deleted"] : [];
  if (status?.allocation) states.push("allocated", ...((status.reservedFor ?? []).length > 0 ? ["reserved"] : []));
  else if (states.length === 0) states.push("pending");
  return states.join(",");
}

const status: Rule = at("status", at("allocation", at("devices", each("results", deviceTolerations))));

export const resourceClaim: SchemaOnlyKind<resource.ResourceClaim> = {
  key: "resourceclaims.resource.k8s.io",
  strategy: schemaOnly(),
  defaults: {
    v1: all(at("spec", claimSpecs.v1), status),
    v1beta1: all(at("spec", claimSpecs.v1beta1), status),
    v1beta2: all(at("spec", claimSpecs.v1beta2), status),
  },
  printer: printer<resource.ResourceClaim>("Name|State|Age", (claim, now) => [
    nameOf(claim),
    claimState(claim),
    ageOf(claim, now),
  ]),
  returnsDeletedObject: true,
};
