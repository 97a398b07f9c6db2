// The status of a claim: allocation, reservations, and the status of devices from their drivers.
// Upstream: pkg/apis/resource/validation/validation.go, validateResourceClaimStatusUpdate

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type {
  AllocatedDeviceStatus,
  AllocationResult,
  NetworkDeviceData,
  ResourceClaim,
  ResourceClaimConsumerReference,
} from "#api/generated/types/resource-v1.ts";
import { byteLength, goQuote } from "#api/go-text.ts";
import { dnsLabel, type Errors, IMMUTABLE, type Path, requiredOneOf } from "#kinds/parts/checks.ts";
import { conditions } from "#kinds/parts/conditions.ts";
import { internalForm } from "#kinds/parts/internal-form.ts";
import { nodeSelector } from "#kinds/pod-spec/affinity.ts";
import { csiDriverName } from "#kinds/pod-spec/volume-sources.ts";
import { formatIp, parseSloppyCidr } from "#rules/ip.ts";
import { deviceId, deviceKey } from "./allocated-devices.ts";
import {
  CONFIGURATIONS_MAX,
  type RequestNames,
  requestNames,
  requestReference,
  requestReferences,
} from "./claim-spec-validation.ts";
import { bindingConditions, configuration, each, poolName, rawObject, shareId } from "./device-checks.ts";

const STATUS = field.newPath("status");
const RESERVED_MAX = 256;
const RESULTS_MAX = 32;
const CONDITIONS_MAX = 8;
const IPS_MAX = 16;
const INTERFACE_BYTES_MAX = 256;
const HARDWARE_BYTES_MAX = 128;

export function claimStatus(errors: Errors, { metadata, spec, status = {} }: ResourceClaim, old: ResourceClaim): void {
  const { allocation, reservedFor = [], devices } = status;
  const reservedPath = STATUS.child("reservedFor");
  each(errors, reservedFor, RESERVED_MAX, reservedPath, consumer(errors), ({ uid = "" }) => uid);
  const allocated = new Set((allocation?.devices?.results ?? []).map(deviceKey));
  const check = (device: AllocatedDeviceStatus, path: Path): void => deviceStatus(errors, device, path, allocated);
  each(errors, devices, -1, STATUS.child("devices"), check, deviceId);
  if (reservedFor.length > 0 && allocation === undefined) {
    errors.push(field.forbidden(reservedPath, "may not be specified when `allocated` is not set"));
  } else if (metadata?.deletionTimestamp && hasNew(reservedFor, old.status?.reservedFor ?? [])) {
    const detail = "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";
    errors.push(field.forbidden(reservedPath, detail));
  }
  if (allocation === undefined) return;
  const path = STATUS.child("allocation");
  const before = old.status?.allocation;
  // An existing allocation is not checked again, because older rules were weaker.
  if (before === undefined) allocationResult(errors, allocation, path, requestNames(spec?.devices ?? {}));
  else if (!semanticEqual(allocation, before)) {
    errors.push(field.invalid(path, internalForm("AllocationResult", allocation), IMMUTABLE));
  }
}

const consumer =
  (errors: Errors) =>
  (reference: ResourceClaimConsumerReference, path: Path): void => {
    for (const part of ["resource", "name", "uid"] as const) {
      if (!reference[part]) errors.push(field.required(path.child(part), ""));
    }
  };

function hasNew(
  list: readonly ResourceClaimConsumerReference[],
  old: readonly ResourceClaimConsumerReference[],
): boolean {
  const key = ({ apiGroup = "", resource = "", name = "", uid = "" }: ResourceClaimConsumerReference): string =>
    JSON.stringify([apiGroup, resource, name, uid]);
  const known = new Set(old.map(key));
  return list.some((reference) => !known.has(key(reference)));
}

function allocationResult(
  errors: Errors,
  { devices = {}, nodeSelector: nodes }: AllocationResult,
  path: Path,
  names: RequestNames,
): void {
  const at = path.child("devices");
  each(errors, devices.results, RESULTS_MAX, at.child("results"), (result, itemPath) => {
    const { request = "", driver = "", pool = "", device = "" } = result;
    requestReference(errors, request, itemPath.child("request"), names);
    csiDriverName(errors, driver, itemPath.child("driver"));
    poolName(errors, pool, itemPath.child("pool"));
    dnsLabel(errors, device, itemPath.child("device"));
    bindingConditions(errors, result.bindingConditions, result.bindingFailureConditions, itemPath);
    if (result.shareID !== undefined) shareId(errors, result.shareID, itemPath.child("shareID"));
  });
  each(errors, devices.config, 2 * CONFIGURATIONS_MAX, at.child("config"), (config, itemPath) => {
    requiredOneOf(errors, config.source, itemPath.child("source"), ["FromClaim", "FromClass"]);
    requestReferences(errors, config.requests, itemPath.child("requests"), names);
    configuration(errors, config, itemPath, false);
  });
  if (nodes !== undefined) nodeSelector(errors, nodes, path.child("nodeSelector"), false);
}

function deviceStatus(errors: Errors, status: AllocatedDeviceStatus, path: Path, allocated: ReadonlySet<string>): void {
  const { driver = "", pool = "", device = "", data, networkData } = status;
  csiDriverName(errors, driver, path.child("driver"));
  poolName(errors, pool, path.child("pool"));
  dnsLabel(errors, device, path.child("device"));
  if (status.shareID !== undefined) shareId(errors, status.shareID, path.child("shareID"));
  if (!allocated.has(deviceKey(status))) {
    errors.push(field.invalid(path, deviceId(status), "must be an allocated device in the claim"));
  }
  const given = status.conditions ?? [];
  const conditionsPath = path.child("conditions");
  if (given.length > CONDITIONS_MAX) errors.push(field.tooMany(conditionsPath, given.length, CONDITIONS_MAX));
  conditions(errors, given, conditionsPath);
  if (data !== undefined && data !== null) rawObject(errors, data, path.child("data"), false);
  if (networkData !== undefined) network(errors, networkData, path.child("networkData"));
}

function network(errors: Errors, { interfaceName = "", hardwareAddress = "", ips }: NetworkDeviceData, path: Path) {
  if (byteLength(interfaceName) > INTERFACE_BYTES_MAX) {
    errors.push(field.tooLong(path.child("interfaceName"), INTERFACE_BYTES_MAX));
  }
  if (byteLength(hardwareAddress) > HARDWARE_BYTES_MAX) {
    errors.push(field.tooLong(path.child("hardwareAddress"), HARDWARE_BYTES_MAX));
  }
  const check = (value: string, at: Path): void => interfaceAddress(errors, value, at);
  each(errors, ips, IPS_MAX, path.child("ips"), check, (value) => value);
}

/** Upstream: apimachinery pkg/util/validation, IsValidInterfaceAddress */
function interfaceAddress(errors: Errors, value: string, path: Path): void {
  const cidr = parseSloppyCidr(value);
  if (cidr === undefined) {
    const detail = "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)";
    errors.push(field.invalid(path, value, detail));
    return;
  }
  const { family, bytes, prefixLength } = cidr;
  const length = family === 4 && prefixLength > 32 ? prefixLength - 96 : prefixLength;
  const canonical = `${formatIp(bytes)}/${length}`;
  if (value !== canonical) {
    errors.push(field.invalid(path, value, `must be in canonical form (${goQuote(canonical)})`));
  }
}
