// Endpoints: their subsets. Upstream: pkg/apis/core/validation, ValidateEndpoints

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { isDns1123Subdomain, isPortNumber } from "#api/names.ts";
import {
  dnsLabel,
  dnsSubdomain,
  type Errors,
  legacyIp,
  type Path,
  qualifiedName,
  requiredOneOf,
} from "#kinds/parts/checks.ts";
import { endpointIp } from "#kinds/parts/endpoint-ip.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";

const METADATA = field.newPath("metadata");
const SUBSETS = field.newPath("subsets");

/** isStrict: addresses must be in canonical form. */
export function validateEndpoints(endpoints: core.Endpoints, isStrict: boolean): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, endpoints.metadata ?? {}, true, isDns1123Subdomain, METADATA);
  return [...errors, ...subsetErrors(endpoints, isStrict)];
}

/** Unchanged subsets are not checked again, since an earlier version accepted them. */
export function validateEndpointsUpdate(
  endpoints: core.Endpoints,
  old: core.Endpoints,
  isStrict: boolean,
): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, endpoints.metadata ?? {}, old.metadata ?? {}, METADATA);
  objectMeta(errors, endpoints.metadata ?? {}, true, isDns1123Subdomain, METADATA);
  const found = subsetErrors(endpoints, isStrict);
  return found.length > 0 && semanticEqual(endpoints.subsets, old.subsets) ? errors : [...errors, ...found];
}

function subsetErrors({ subsets = [] }: core.Endpoints, isStrict: boolean): field.FieldError[] {
  const errors: Errors = [];
  subsets.forEach(({ addresses = [], notReadyAddresses = [], ports = [] }, i) => {
    const path = SUBSETS.index(i);
    if (addresses.length === 0 && notReadyAddresses.length === 0) {
      errors.push(field.required(path, "must specify `addresses` or `notReadyAddresses`"));
    }
    addresses.forEach((address, j) => {
      endpointAddress(errors, address, path.child("addresses").index(j), isStrict);
    });
    notReadyAddresses.forEach((address, j) => {
      endpointAddress(errors, address, path.child("notReadyAddresses").index(j), isStrict);
    });
    ports.forEach((port, j) => {
      endpointPort(errors, port, ports.length > 1, path.child("ports").index(j));
    });
  });
  return errors;
}

function endpointAddress(
  errors: Errors,
  { ip = "", hostname, nodeName }: core.EndpointAddress,
  path: Path,
  isStrict: boolean,
): void {
  legacyIp(errors, ip, path.child("ip"), isStrict);
  if (hostname) dnsLabel(errors, hostname, path.child("hostname"));
  if (nodeName !== undefined) dnsSubdomain(errors, nodeName, path.child("nodeName"));
  endpointIp(errors, ip, path.child("ip"));
}

function endpointPort(
  errors: Errors,
  { name = "", port = 0, protocol, appProtocol }: core.EndpointPort,
  needsName: boolean,
  path: Path,
): void {
  if (name !== "") dnsLabel(errors, name, path.child("name"));
  else if (needsName) errors.push(field.required(path.child("name"), ""));
  for (const message of isPortNumber(port)) errors.push(field.invalid(path.child("port"), port, message));
  requiredOneOf(errors, protocol, path.child("protocol"), ["SCTP", "TCP", "UDP"]);
  if (appProtocol !== undefined) qualifiedName(errors, appProtocol, path.child("appProtocol"));
}
