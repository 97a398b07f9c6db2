// IP addresses of services. Upstream: pkg/registry/networking/ipaddress/strategy.go; pkg/apis/networking/validation

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as networking from "#api/generated/types/networking-v1.ts";
import { goQuote } from "#api/go-text.ts";
import { isPathSegmentName } from "#api/names.ts";
import type { EpochMs } from "#base/clock.ts";
import type { Kind } from "#kinds/kind.ts";
import { dnsSubdomain, type Errors, IMMUTABLE, requiredName } from "#kinds/parts/checks.ts";
import { deprecatedVersions } from "#kinds/parts/deprecated-versions.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { kindStrategy } from "#kinds/strategy.ts";
import { formatIp, isIpAddress, parseSloppyIp } from "#rules/ip.ts";

const METADATA = field.newPath("metadata");
const PARENT = field.newPath("spec", "parentRef");

export function validateIpAddress({ metadata = {}, spec }: networking.IPAddress): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, metadata, false, ipAddressName, METADATA);
  const parent = spec?.parentRef as networking.ParentReference | undefined;
  if (parent === undefined) {
    errors.push(field.required(PARENT, ""));
    return errors;
  }
  const { group, resource, name, namespace } = parent;
  if (group) dnsSubdomain(errors, group, PARENT.child("group"));
  requiredName(errors, resource, PARENT.child("resource"), isPathSegmentName);
  requiredName(errors, name, PARENT.child("name"), isPathSegmentName);
  if (namespace) requiredName(errors, namespace, PARENT.child("namespace"), isPathSegmentName);
  return errors;
}

function validateIpAddressUpdate(address: networking.IPAddress, old: networking.IPAddress): field.FieldError[] {
  const errors: Errors = validateIpAddress(address);
  objectMetaUpdate(errors, address.metadata ?? {}, old.metadata ?? {}, METADATA);
  const parent = address.spec?.parentRef as networking.ParentReference | undefined;
  if (!semanticEqual(parent, old.spec?.parentRef)) {
    const { group = "", resource = "", namespace = "", name = "" } = parent ?? {};
    const shown = parent === undefined ? null : { Group: group, Resource: resource, Namespace: namespace, Name: name };
    errors.push(field.invalid(PARENT, shown, IMMUTABLE));
  }
  return errors;
}

function ipAddressName(value: string): string[] {
  const ip = parseSloppyIp(value);
  if (ip === undefined) return ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"];
  if (!isIpAddress(value)) return ["must not have leading 0s"];
  if (ip.isMapped) return ["must not be an IPv4-mapped IPv6 address"];
  const canonical = formatIp(ip.bytes);
  return value === canonical ? [] : [`must be in canonical form (${goQuote(canonical)})`];
}

function ipAddressCells(object: networking.IPAddress, now: EpochMs): unknown[] {
  const parent = object.spec?.parentRef;
  const resourceName = parent?.group ? `${parent.resource ?? ""}.${parent.group}` : (parent?.resource ?? "");
  const namespace = parent?.namespace ? `/${parent.namespace}` : "";
  const shown = parent ? `${resourceName.toLowerCase()}${namespace}/${parent.name ?? ""}` : "<none>";
  return [nameOf(object), shown, ageOf(object, now)];
}

const strategy = kindStrategy<networking.IPAddress>({
  validate: validateIpAddress,
  validateUpdate: validateIpAddressUpdate,
});

export const ipAddress: Kind<networking.IPAddress> = {
  key: "ipaddresses.networking.k8s.io",
  strategy,
  deprecationWarning: deprecatedVersions("networking.k8s.io", "IPAddress", { v1beta1: [34, 37] }),
  // As upstream, there is one more cell than columns.
  printer: printer("Name|ParentRef", ipAddressCells),
};
