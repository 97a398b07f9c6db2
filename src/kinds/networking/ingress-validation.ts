// Validation of ingresses. Upstream: pkg/apis/networking/validation, ValidateIngressCreate, ValidateIngressUpdate

import * as field from "#api/field-error.ts";
import type * as networking from "#api/generated/types/networking-v1.ts";
import {
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isPathSegmentName,
  isPortName,
  isPortNumber,
  isWildcardDns1123Subdomain,
  type NameCheck,
} from "#api/names.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import { dnsSubdomain, type Errors, legacyIp, name, type Path, requiredName } from "#kinds/parts/checks.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { parseSloppyIp } from "#rules/ip.ts";

const METADATA = field.newPath("metadata");
const SPEC = field.newPath("spec");
const BALANCED = field.newPath("status", "loadBalancer", "ingress");

export const CLASS_ANNOTATION = "kubernetes.io/ingress.class";
const NOT_AN_IP = "must be a DNS name, not an IP address";

/** Violations that are allowed because the stored object has them. */
interface IngressOptions {
  readonly allowInvalidSecretName: boolean;
  readonly allowInvalidWildcardHostRule: boolean;
  readonly serviceName: NameCheck;
}

export function validateIngress(ingress: networking.Ingress, gates: FeatureGateReader): field.FieldError[] {
  const errors: Errors = [];
  content(errors, ingress, {
    allowInvalidSecretName: false,
    allowInvalidWildcardHostRule: false,
    serviceName: serviceNameCheck(undefined, gates),
  });
  const annotation = ingress.metadata?.annotations?.[CLASS_ANNOTATION];
  const className = ingress.spec?.ingressClassName;
  if (annotation !== undefined && className !== undefined && annotation !== className) {
    const path = field.newPath("annotations", CLASS_ANNOTATION);
    errors.push(field.invalid(path, annotation, "must match `ingressClassName` when both are specified"));
  }
  return errors;
}

export function validateIngressUpdate(
  ingress: networking.Ingress,
  old: networking.Ingress,
  gates: FeatureGateReader,
): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, ingress.metadata ?? {}, old.metadata ?? {}, METADATA);
  content(errors, ingress, {
    allowInvalidSecretName: (old.spec?.tls ?? []).some(({ secretName }) => secretNameErrors(secretName).length > 0),
    allowInvalidWildcardHostRule: (old.spec?.rules ?? []).some(hasInvalidWildcardRule),
    serviceName: serviceNameCheck(old, gates),
  });
  return errors;
}

export function validateIngressStatusUpdate(
  ingress: networking.Ingress,
  old: networking.Ingress,
  gates: FeatureGateReader,
): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, ingress.metadata ?? {}, old.metadata ?? {}, METADATA);
  const known = (old.status?.loadBalancer?.ingress ?? []).map(({ ip }) => ip ?? "");
  ingress.status?.loadBalancer?.ingress?.forEach(({ ip, hostname }, i) => {
    const at = BALANCED.index(i);
    if (ip) legacyIp(errors, ip, at.child("ip"), gates.isEnabled("StrictIPCIDRValidation"), known);
    if (!hostname) return;
    dnsSubdomain(errors, hostname, at.child("hostname"));
    if (parseSloppyIp(hostname)) errors.push(field.invalid(at.child("hostname"), hostname, NOT_AN_IP));
  });
  return errors;
}

const secretNameErrors = (secretName = ""): string[] => (secretName === "" ? [] : isDns1123Subdomain(secretName));

const isRelaxedName = (service = ""): boolean =>
  isDns1123Label(service).length === 0 && isDns1035Label(service).length > 0;

/** Service names may start with a digit if the gate is on or an old backend has such a name. */
function serviceNameCheck(old: networking.Ingress | undefined, gates: FeatureGateReader): NameCheck {
  const { defaultBackend, rules = [] } = old?.spec ?? {};
  const backends = [
    defaultBackend,
    ...rules.flatMap(({ http }) =>
      ((http?.paths as readonly networking.HTTPIngressPath[] | null) ?? []).map(({ backend }) => backend),
    ),
  ];
  const isRelaxed =
    gates.isEnabled("RelaxedServiceNameValidation") ||
    backends.some((backend) => backend?.service !== undefined && isRelaxedName(backend.service.name));
  return isRelaxed ? isDns1123Label : isDns1035Label;
}

function hasInvalidWildcardRule({ host = "", http }: networking.IngressRule): boolean {
  if (!host.includes("*")) return false;
  const errors: Errors = [];
  const strict = { allowInvalidSecretName: false, allowInvalidWildcardHostRule: false, serviceName: isDns1035Label };
  if (http) paths(errors, (http.paths as readonly networking.HTTPIngressPath[] | null) ?? [], SPEC, strict);
  return errors.length > 0;
}

function content(errors: Errors, { metadata = {}, spec = {} }: networking.Ingress, opts: IngressOptions): void {
  objectMeta(errors, metadata, true, isDns1123Subdomain, METADATA);
  const list = spec.rules ?? [];
  if (list.length === 0 && !spec.defaultBackend) {
    errors.push(field.invalid(SPEC, spec.rules ?? null, "either `defaultBackend` or `rules` must be specified"));
  }
  if (spec.defaultBackend) backend(errors, spec.defaultBackend, SPEC.child("defaultBackend"), opts);
  list.forEach((one, i) => {
    rule(errors, one, SPEC.child("rules").index(i), opts);
  });
  spec.tls?.forEach((one, i) => {
    tls(errors, one, SPEC.child("tls").index(i), opts);
  });
  if (spec.ingressClassName !== undefined) dnsSubdomain(errors, spec.ingressClassName, SPEC.child("ingressClassName"));
}

function hostName(errors: Errors, host: string, path: Path): void {
  name(errors, host, path, host.includes("*") ? isWildcardDns1123Subdomain : isDns1123Subdomain);
}

function rule(errors: Errors, { host = "", http }: networking.IngressRule, path: Path, opts: IngressOptions): void {
  if (host !== "") {
    if (parseSloppyIp(host)) errors.push(field.invalid(path.child("host"), host, NOT_AN_IP));
    hostName(errors, host, path.child("host"));
  }
  if (!http || (host.includes("*") && opts.allowInvalidWildcardHostRule)) return;
  paths(errors, (http.paths as readonly networking.HTTPIngressPath[] | null) ?? [], path.child("http", "paths"), opts);
}

function paths(errors: Errors, list: readonly networking.HTTPIngressPath[], path: Path, opts: IngressOptions): void {
  if (list.length === 0) errors.push(field.required(path, ""));
  list.forEach((one, i) => {
    httpPath(errors, one, path.index(i), opts);
  });
}

const PATH_TYPES = ["Exact", "ImplementationSpecific", "Prefix"];

function httpPath(errors: Errors, one: networking.HTTPIngressPath, at: Path, opts: IngressOptions): void {
  const { path = "" } = one;
  const pathType = one.pathType as string | undefined | null;
  const wrong = (detail: string): void => {
    errors.push(field.invalid(at.child("path"), path, detail));
  };
  if (pathType === undefined || pathType === null) {
    errors.push(field.required(at.child("pathType"), "pathType must be specified"));
    return;
  }
  if (!PATH_TYPES.includes(pathType)) errors.push(field.notSupported(at.child("pathType"), pathType, PATH_TYPES));
  else if (pathType === "ImplementationSpecific") {
    if (path !== "" && !path.startsWith("/")) wrong("must be an absolute path");
  } else {
    if (!path.startsWith("/")) wrong("must be an absolute path");
    for (const part of ["//", "/./", "/../", "%2f", "%2F"]) {
      if (path.includes(part)) wrong(`must not contain '${part}'`);
    }
    for (const end of ["/..", "/."]) {
      if (path.endsWith(end)) wrong(`cannot end with '${end}'`);
    }
  }
  backend(errors, (one.backend as networking.IngressBackend | undefined) ?? {}, at.child("backend"), opts);
}

function tls(
  errors: Errors,
  { hosts = [], secretName = "" }: networking.IngressTLS,
  path: Path,
  opts: IngressOptions,
): void {
  hosts.forEach((host, i) => {
    hostName(errors, host, path.child("hosts").index(i));
  });
  if (!opts.allowInvalidSecretName) name(errors, secretName, path.child("secretName"), secretNameErrors);
}

function backend(
  errors: Errors,
  { resource, service }: networking.IngressBackend,
  path: Path,
  opts: IngressOptions,
): void {
  if (resource && service) errors.push(field.invalid(path, "", "cannot set both resource and service backends"));
  else if (resource) {
    const at = path.child("resource");
    if (typeof resource.apiGroup === "string") dnsSubdomain(errors, resource.apiGroup, at.child("apiGroup"));
    requiredName(errors, resource.kind, at.child("kind"), isPathSegmentName);
    requiredName(errors, resource.name, at.child("name"), isPathSegmentName);
  } else if (service) {
    requiredName(errors, service.name, path.child("service", "name"), opts.serviceName);
    backendPort(errors, service.port ?? {}, path);
  } else errors.push(field.invalid(path, "", "resource or service backend is required"));
}

function backendPort(
  errors: Errors,
  { name: portName = "", number = 0 }: networking.ServiceBackendPort,
  path: Path,
): void {
  if (portName !== "" && number !== 0) {
    errors.push(field.invalid(path, "", "cannot set both port name & port number"));
  } else if (portName !== "") name(errors, portName, path.child("service", "port", "name"), isPortName);
  else if (number === 0) errors.push(field.required(path, "port name or number is required"));
  else {
    for (const message of isPortNumber(number)) {
      errors.push(field.invalid(path.child("service", "port", "number"), number, message));
    }
  }
}
