// Validation of device claims. Upstream: pkg/apis/resource/validation/validation.go, validateDeviceClaim

import * as field from "#api/field-error.ts";
import type {
  DeviceClaim,
  DeviceConstraint,
  DeviceRequest,
  ExactDeviceRequest,
  ResourceClaimSpec,
} from "#api/generated/types/resource-v1.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import { dnsLabel, dnsSubdomain, type Errors, oneOf, type Path } from "#kinds/parts/checks.ts";
import { configuration, deviceToleration, each, fullAttributeName } from "./device-checks.ts";
import { selectors } from "./selector-checks.ts";

const REQUESTS_MAX = 32;
const CONSTRAINTS_MAX = 32;
export const CONFIGURATIONS_MAX = 32;
const ALTERNATIVES_MAX = 8;

export function claimSpec(
  errors: Errors,
  { devices = {} }: ResourceClaimSpec,
  path: Path,
  gates: FeatureGateReader,
): void {
  const at = path.child("devices");
  const names = requestNames(devices);
  each(
    errors,
    devices.requests,
    REQUESTS_MAX,
    at.child("requests"),
    (item, itemPath) => request(errors, item, itemPath),
    ({ name = "" }) => name,
  );
  each(errors, devices.constraints, CONSTRAINTS_MAX, at.child("constraints"), (item, itemPath) => {
    constraint(errors, item, itemPath, names, gates);
  });
  each(errors, devices.config, CONFIGURATIONS_MAX, at.child("config"), (item, itemPath) => {
    requestReferences(errors, item.requests, itemPath.child("requests"), names);
    configuration(errors, item, itemPath, false);
  });
}

/** Request names with the names of their subrequests. */
export type RequestNames = ReadonlyMap<string, ReadonlySet<string>>;

export function requestNames({ requests }: DeviceClaim): RequestNames {
  return new Map(
    (requests ?? []).map(({ name = "", firstAvailable = [] }) => [
      name,
      new Set(firstAvailable.map((alternative) => alternative.name ?? "")),
    ]),
  );
}

export function requestReferences(
  errors: Errors,
  list: readonly string[] | undefined,
  path: Path,
  names: RequestNames,
): void {
  const check = (value: string, at: Path): void => requestReference(errors, value, at, names);
  each(errors, list, REQUESTS_MAX, path, check, (value) => value);
}

const NO_REQUEST =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

export function requestReference(errors: Errors, value: string, path: Path, names: RequestNames): void {
  const parts = value.split("/");
  const [request = "", alternative] = parts;
  if (parts.length <= 2) for (const part of parts) dnsLabel(errors, part, path);
  const known = parts.length > 2 ? undefined : names.get(request);
  if (known === undefined || (alternative !== undefined && !known.has(alternative))) {
    errors.push(field.invalid(path, value, NO_REQUEST));
  }
}

function request(errors: Errors, { name = "", exactly, firstAvailable = [] }: DeviceRequest, path: Path): void {
  dnsLabel(errors, name, path.child("name"));
  if (exactly === undefined && firstAvailable.length === 0) {
    errors.push(field.required(path, "exactly one of `exactly` or `firstAvailable` is required"));
  } else if (exactly !== undefined && firstAvailable.length > 0) {
    const detail = "exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set";
    errors.push(field.invalid(path, null, detail));
  } else if (exactly !== undefined) wanted(errors, exactly, path.child("exactly"));
  else {
    each(
      errors,
      firstAvailable,
      ALTERNATIVES_MAX,
      path.child("firstAvailable"),
      (alternative, at) => {
        dnsLabel(errors, alternative.name ?? "", at.child("name"));
        wanted(errors, alternative, at);
      },
      (alternative) => alternative.name ?? "",
    );
  }
}

function wanted(errors: Errors, given: ExactDeviceRequest, path: Path): void {
  const { deviceClassName = "", allocationMode = "", count = 0 } = given;
  const classPath = path.child("deviceClassName");
  if (deviceClassName === "") errors.push(field.required(classPath, ""));
  else dnsSubdomain(errors, deviceClassName, classPath);
  selectors(errors, given.selectors, path.child("selectors"));
  const countPath = path.child("count");
  if (allocationMode === "All") {
    const detail = "must not be specified when allocationMode is 'All'";
    if (BigInt(count) !== 0n) errors.push(field.invalid(countPath, count, detail));
  } else if (allocationMode === "ExactCount") {
    if (count <= 0) errors.push(field.invalid(countPath, count, "must be greater than zero"));
  } else oneOf(errors, allocationMode, path.child("allocationMode"), ["All", "ExactCount"]);
  for (const [index, toleration] of (given.tolerations ?? []).entries()) {
    deviceToleration(errors, toleration, path.child("tolerations").index(index));
  }
}

function constraint(
  errors: Errors,
  { requests, matchAttribute, distinctAttribute }: DeviceConstraint,
  path: Path,
  names: RequestNames,
  gates: FeatureGateReader,
): void {
  requestReferences(errors, requests, path.child("requests"), names);
  if (matchAttribute !== undefined) fullAttributeName(errors, matchAttribute, path.child("matchAttribute"));
  else if (distinctAttribute !== undefined) {
    fullAttributeName(errors, distinctAttribute, path.child("distinctAttribute"));
  } else if (gates.isEnabled("DRAConsumableCapacity")) {
    const detail = `exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set`;
    errors.push(field.required(path, detail));
  } else errors.push(field.required(path.child("matchAttribute"), ""));
}
