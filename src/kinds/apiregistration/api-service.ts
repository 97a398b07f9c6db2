// API services. Upstream: kube-aggregator pkg/registry/apiservice

import type * as aggregation from "#api/generated/types/apiregistration-v1.ts";
import type { APIService } from "#api/generated/types/apiregistration-v1.ts";
import { goQuote } from "#api/go-text.ts";
import { isPathSegmentName, type NameCheck } from "#api/names.ts";
import type { KubeObject } from "#api/object.ts";
import type { EpochMs } from "#base/clock.ts";
import { servicePort443 } from "#kinds/admissionregistration/webhook-parts.ts";
import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { at } from "#kinds/parts/defaulting.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { schemaOnly } from "#kinds/strategy.ts";

function apiServiceName(object: KubeObject): NameCheck {
  const { version = "", group = "" } = (object as APIService).spec ?? {};
  const required = `${version}.${group}`;
  return (value) => {
    const errors = isPathSegmentName(value);
    if (errors.length > 0 || value === required) return errors;
    return [`must be \`spec.version+"."+spec.group\`: ${goQuote(required)}`];
  };
}

function apiServiceCells(object: aggregation.APIService, now: EpochMs): unknown[] {
  const { service } = object.spec ?? {};
  const available = object.status?.conditions?.find(({ type }) => type === "Available");
  const isOk = available?.status === "True";
  const reason = available?.reason ? ` (${available.reason})` : "";
  const shown = isOk ? "True" : available ? `${available.status}${reason}` : "Unknown";
  return [nameOf(object), service ? `${service.namespace}/${service.name}` : "Local", shown, ageOf(object, now)];
}

export const apiService: SchemaOnlyKind<aggregation.APIService> = {
  key: "apiservices.apiregistration.k8s.io",
  etcdDirectory: "apiregistration.k8s.io/apiservices",
  strategy: schemaOnly({ allowUnconditionalUpdate: false, nameCheck: apiServiceName }),
  defaults: at("spec", servicePort443),
  printer: printer("Name|Service|Available|Age", apiServiceCells),
  isStoredAsJson: true,
};
