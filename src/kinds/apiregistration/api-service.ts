// API services. Upstream: kube-aggregator pkg/registry/apiservice, pkg/apis/apiregistration/validation

import * as field from "#api/field-error.ts";
import type { APIService } from "#api/generated/types/apiregistration-v1.ts";
import { goQuote } from "#api/go-text.ts";
import { isDns1035Label, isDns1123Subdomain, isPathSegmentName, isPortNumber, type NameCheck } from "#api/names.ts";
import type { EpochMs } from "#base/clock.ts";
import { servicePort443 } from "#kinds/admissionregistration/webhook-parts.ts";
import type { Kind } from "#kinds/kind.ts";
import { type Errors, name, oneOf, requiredName } from "#kinds/parts/checks.ts";
import { at } from "#kinds/parts/defaulting.ts";
import { genericObjectMeta, genericObjectMetaUpdate } from "#kinds/parts/metadata.ts";
import { put } from "#kinds/parts/preparing.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { kindStrategy } from "#kinds/strategy.ts";
import { availableOf, LOCAL, withAvailability } from "./availability-condition.ts";

const META = field.newPath("metadata");
const SPEC = field.newPath("spec");

function nameOfVersion({ version = "", group = "" }: NonNullable<APIService["spec"]>): NameCheck {
  const required = `${version}.${group}`;
  return (value) => {
    const errors = isPathSegmentName(value);
    if (errors.length > 0 || value === required) return errors;
    return [`must be \`spec.version+"."+spec.group\`: ${goQuote(required)}`];
  };
}

function validateApiService({ metadata = {}, spec = NO_SPEC }: APIService): Errors {
  const errors: Errors = [];
  const { group = "", version = "", service, caBundle = "", insecureSkipTLSVerify = false } = spec;
  genericObjectMeta(errors, metadata, false, nameOfVersion(spec), META);
  if (group === "" && version !== "v1")
    errors.push(field.required(SPEC.child("group"), "only v1 may have an empty group and it better be legacy kube"));
  if (group !== "") name(errors, group, SPEC.child("group"), isDns1123Subdomain);
  name(errors, version, SPEC.child("version"), isDns1035Label);
  priority(errors, spec, "groupPriorityMinimum", 20_000);
  priority(errors, spec, "versionPriority", 1_000);
  const refuse = (part: string, value: unknown, why: string): void => {
    errors.push(field.invalid(SPEC.child(part), value, why));
  };
  if (service === undefined) {
    const bytes = `${atob(caBundle).length} bytes`;
    if (caBundle !== "") refuse("caBundle", bytes, "local APIServices may not have a caBundle");
    if (insecureSkipTLSVerify)
      refuse("insecureSkipTLSVerify", true, "local APIServices may not have insecureSkipTLSVerify");
    return errors;
  }
  const path = SPEC.child("service");
  requiredName(errors, service.namespace, path.child("namespace"));
  requiredName(errors, service.name, path.child("name"));
  const port = service.port ?? 0;
  const wrong = isPortNumber(port);
  if (wrong.length > 0) errors.push(field.invalid(path.child("port"), port, `port is not valid: ${wrong.join(", ")}`));
  if (insecureSkipTLSVerify && caBundle !== "")
    refuse("insecureSkipTLSVerify", true, "may not be true if caBundle is present");
  return errors;
}

const NO_SPEC = { groupPriorityMinimum: 0, versionPriority: 0 };

function priority(
  errors: Errors,
  spec: NonNullable<APIService["spec"]>,
  part: "groupPriorityMinimum" | "versionPriority",
  max: number,
): void {
  const value = spec[part] ?? 0;
  if (value <= 0 || value > max)
    errors.push(field.invalid(SPEC.child(part), value, `must be positive and less than ${max}`));
}

function validateStatus({ metadata = {}, status }: APIService, old: APIService): Errors {
  const errors: Errors = [];
  genericObjectMetaUpdate(errors, metadata, old.metadata ?? {}, META);
  status?.conditions?.forEach((condition, index) => {
    const path = field.newPath("status").child("conditions").index(index).child("status");
    oneOf(errors, condition.status, path, ["True", "False", "Unknown"]);
  });
  return errors;
}

/** Upstream resets these fields one by one and does not reset the generation. */
const KEPT_META = ["labels", "annotations", "finalizers", "ownerReferences"] as const;

const strategy = kindStrategy<APIService>({
  allowUnconditionalUpdate: false,
  resetFields: [["status"]],
  prepareForCreate: (service, { now }) => {
    const { status: _, ...created } = service;
    const isLocal = created.spec?.service === undefined;
    return isLocal ? withAvailability({ ...created, status: {} }, LOCAL, now) : { ...created, status: {} };
  },
  validate: validateApiService,
  prepareForUpdate: (service, old) => put(service, "status", old.status),
  validateUpdate(service, old) {
    const errors: Errors = [];
    genericObjectMetaUpdate(errors, service.metadata ?? {}, old.metadata ?? {}, META);
    return [...errors, ...validateApiService(service)];
  },
  subresources: {
    status: {
      prepareForUpdate(service, old) {
        let metadata = service.metadata ?? {};
        for (const part of KEPT_META) metadata = put(metadata, part, old.metadata?.[part]);
        return { ...put(service, "spec", old.spec), metadata };
      },
      validateUpdate: validateStatus,
      resetFields: [["spec"], ["metadata"]],
    },
  },
});

function cells(object: APIService, now: EpochMs): unknown[] {
  const { service } = object.spec ?? {};
  const available = availableOf(object);
  const reason = available?.reason ? ` (${available.reason})` : "";
  const isOk = available?.status === "True";
  const shown = isOk ? "True" : available ? `${available.status}${reason}` : "Unknown";
  return [nameOf(object), service ? `${service.namespace}/${service.name}` : "Local", shown, ageOf(object, now)];
}

export const apiService: Kind<APIService> = {
  key: "apiservices.apiregistration.k8s.io",
  etcdDirectory: "apiregistration.k8s.io/apiservices",
  strategy,
  defaults: at("spec", servicePort443),
  printer: printer("Name|Service|Available|Age", cells),
  unprintedSubresources: ["status"],
  isStoredAsJson: true,
};
