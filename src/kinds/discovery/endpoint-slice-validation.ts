// Endpoint slices: address type, ports and endpoints. Upstream: pkg/apis/discovery/validation

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as discovery from "#api/generated/types/discovery-v1.ts";
import { goQuote } from "#api/go-text.ts";
import { isDns1123Label, isDns1123Subdomain, isLabelValue, type NameCheck } from "#api/names.ts";
import {
  dnsLabel,
  dnsSubdomain,
  type Errors,
  IMMUTABLE,
  labels,
  legacyIp,
  name,
  type Path,
  qualifiedName,
  requiredOneOf,
} from "#kinds/parts/checks.ts";
import { endpointIp } from "#kinds/parts/endpoint-ip.ts";
import { objectMeta } from "#kinds/parts/metadata.ts";
import { formatIp, parseSloppyIp } from "#rules/ip.ts";

const METADATA = field.newPath("metadata");
const ADDRESS_TYPE = field.newPath("addressType");
const PORTS = field.newPath("ports");
const ENDPOINTS = field.newPath("endpoints");
const ZONE = "topology.kubernetes.io/zone";

const ADDRESSES_MAX = 100;
const TOPOLOGY_LABELS_MAX = 16;
const PORTS_MAX = 20_000;
const ENDPOINTS_MAX = 1000;
const HINTS_MAX = 8;

/** isStrict: IPv4 addresses must be in canonical form. */
export function validateSlice(slice: discovery.EndpointSlice, isStrict: boolean): field.FieldError[] {
  return [...metadataAndPortErrors(slice), ...endpointErrors(slice, isStrict)];
}

/** Unchanged endpoints are not checked again, since an earlier version accepted them. */
export function validateSliceUpdate(
  slice: discovery.EndpointSlice,
  old: discovery.EndpointSlice,
  isStrict: boolean,
): field.FieldError[] {
  const errors = metadataAndPortErrors(slice);
  const found = endpointErrors(slice, isStrict);
  if (found.length > 0 && !semanticEqual(slice.endpoints, old.endpoints)) errors.push(...found);
  if (slice.addressType !== old.addressType) errors.push(field.invalid(ADDRESS_TYPE, slice.addressType, IMMUTABLE));
  return errors;
}

function metadataAndPortErrors({ metadata, addressType, ...slice }: discovery.EndpointSlice): Errors {
  const errors: Errors = [];
  const ports = slice.ports ?? []; // both lists may be null
  objectMeta(errors, metadata ?? {}, true, isDns1123Subdomain, METADATA);
  requiredOneOf(errors, addressType, ADDRESS_TYPE, ["FQDN", "IPv4", "IPv6"]);
  if (ports.length > PORTS_MAX) errors.push(field.tooMany(PORTS, ports.length, PORTS_MAX));
  else slicePorts(errors, ports);
  return errors;
}

function slicePorts(errors: Errors, ports: readonly discovery.EndpointPort[]): void {
  const names = new Set<string>();
  ports.forEach(({ name = "", protocol, appProtocol }, i) => {
    const path = PORTS.index(i);
    if (name !== "") dnsLabel(errors, name, path.child("name"));
    unique(errors, names, name, path.child("name"));
    if (protocol === undefined) errors.push(field.required(path.child("protocol"), ""));
    else if (!["SCTP", "TCP", "UDP"].includes(protocol)) {
      errors.push(field.notSupported(path.child("protocol"), protocol, ["SCTP", "TCP", "UDP"]));
    }
    if (appProtocol !== undefined) qualifiedName(errors, appProtocol, path.child("appProtocol"));
  });
}

function endpointErrors({ addressType, ...slice }: discovery.EndpointSlice, isStrict: boolean): Errors {
  const endpoints = slice.endpoints ?? [];
  if (endpoints.length > ENDPOINTS_MAX) return [field.tooMany(ENDPOINTS, endpoints.length, ENDPOINTS_MAX)];
  const errors: Errors = [];
  endpoints.forEach((endpoint, i) => {
    const path = ENDPOINTS.index(i);
    addresses(errors, endpoint.addresses ?? [], addressType, path.child("addresses"), isStrict);
    if (endpoint.nodeName !== undefined) dnsSubdomain(errors, endpoint.nodeName, path.child("nodeName"));
    deprecatedTopology(errors, endpoint.deprecatedTopology ?? {}, path.child("deprecatedTopology"));
    if (endpoint.hostname !== undefined) dnsLabel(errors, endpoint.hostname, path.child("hostname"));
    hints(errors, endpoint.hints, path.child("hints"));
  });
  return errors;
}

function addresses(errors: Errors, list: readonly string[], addressType: string, path: Path, isStrict: boolean): void {
  if (list.length === 0) errors.push(field.required(path, "must contain at least 1 address"));
  else if (list.length > ADDRESSES_MAX) errors.push(field.tooMany(path, list.length, ADDRESSES_MAX));
  list.forEach((address, i) => {
    const at = path.index(i);
    if (addressType === "FQDN") domainName(errors, address, at);
    if (addressType !== "IPv4" && addressType !== "IPv6") return;
    const before = errors.length;
    if (addressType === "IPv4") legacyIp(errors, address, at, isStrict);
    else canonicalIp(errors, address, at);
    if (errors.length > before) return;
    if (parseSloppyIp(address)?.family !== (addressType === "IPv4" ? 4 : 6)) {
      errors.push(field.invalid(path, address, `must be an ${addressType} address`));
    }
    endpointIp(errors, address, at);
  });
}

// Upstream: apimachinery pkg/util/validation, IsValidIP
function canonicalIp(errors: Errors, address: string, path: Path): void {
  const before = errors.length;
  legacyIp(errors, address, path, true);
  const ip = parseSloppyIp(address);
  if (errors.length > before || ip === undefined) return;
  const canonical = formatIp(ip.bytes);
  if (address !== canonical) {
    errors.push(field.invalid(path, address, `must be in canonical form (${goQuote(canonical)})`));
  }
}

function domainName(errors: Errors, text: string, path: Path): void {
  const domain = text.endsWith(".") ? text.slice(0, -1) : text;
  if (text === "") errors.push(field.required(path, ""));
  else {
    const [first] = wrongDomains(domain);
    if (first !== undefined) errors.push(field.invalid(path, first.value, first.detail));
  }
}

// Upstream: apimachinery pkg/util/validation, IsFullyQualifiedDomainName
function* wrongDomains(domain: string): Generator<{ readonly value: string; readonly detail: string }> {
  const wrong = isDns1123Subdomain(domain);
  if (wrong.length > 0) yield { value: domain, detail: wrong.join(",") };
  const segments = domain.split(".");
  if (segments.length < 2) {
    yield { value: domain, detail: "should be a domain with at least two segments separated by dots" };
  }
  for (const value of segments) {
    const messages = isDns1123Label(value);
    if (messages.length > 0) yield { value, detail: messages.join(",") };
  }
}

function deprecatedTopology(errors: Errors, topology: Readonly<Record<string, string>>, path: Path): void {
  const count = Object.keys(topology).length;
  if (count > TOPOLOGY_LABELS_MAX) errors.push(field.tooMany(path, count, TOPOLOGY_LABELS_MAX));
  labels(errors, topology, path);
  if (Object.hasOwn(topology, ZONE)) {
    errors.push(field.internalError(path.key(ZONE), "reserved key was not removed in conversion"));
  }
}

function hints(errors: Errors, endpointHints: discovery.EndpointHints | undefined, path: Path): void {
  const { forZones = [], forNodes = [] } = endpointHints ?? {};
  if (!hintNames(errors, forZones, path.child("forZones"), isLabelValue)) return;
  hintNames(errors, forNodes, path.child("forNodes"), isDns1123Subdomain);
}

/** False if there are too many to check. */
function hintNames(errors: Errors, list: readonly { readonly name?: string }[], path: Path, check: NameCheck): boolean {
  if (list.length > HINTS_MAX) {
    errors.push(field.tooMany(path, list.length, HINTS_MAX));
    return false;
  }
  const names = new Set<string>();
  list.forEach(({ name: hint = "" }, i) => {
    const at = path.index(i).child("name");
    unique(errors, names, hint, at);
    name(errors, hint, at, check);
  });
  return true;
}

function unique(errors: Errors, known: Set<string>, value: string, path: Path): void {
  if (known.has(value)) errors.push(field.duplicate(path, value));
  known.add(value);
}
