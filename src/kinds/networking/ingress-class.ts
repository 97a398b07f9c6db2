// Ingress classes. Upstream: pkg/registry/networking/ingressclass/strategy.go; pkg/apis/networking/v1/defaults.go

import * as field from "#api/field-error.ts";
import type * as networking from "#api/generated/types/networking-v1.ts";
import { byteLength } from "#api/go-text.ts";
import { isDns1123Label, isDns1123Subdomain, isPathSegmentName } from "#api/names.ts";
import type { EpochMs } from "#base/clock.ts";
import type { Kind } from "#kinds/kind.ts";
import { dnsSubdomain, domainPrefixedPath, type Errors, IMMUTABLE, name, requiredName } from "#kinds/parts/checks.ts";
import { at, nil } from "#kinds/parts/defaulting.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { countChange, firstGeneration } from "#kinds/parts/preparing.ts";
import { ageOf, defaultMark, nameOf, printer } from "#kinds/parts/printer.ts";
import { kindStrategy } from "#kinds/strategy.ts";

const METADATA = field.newPath("metadata");
const CONTROLLER = field.newPath("spec", "controller");
const PARAMETERS = field.newPath("spec", "parameters");
const CONTROLLER_BYTES_MAX = 250;

function validate({ metadata = {}, spec = {} }: networking.IngressClass): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, metadata, false, isDns1123Subdomain, METADATA);
  const { controller = "" } = spec;
  if (byteLength(controller) > CONTROLLER_BYTES_MAX) errors.push(field.tooLong(CONTROLLER, CONTROLLER_BYTES_MAX));
  domainPrefixedPath(errors, controller, CONTROLLER);
  if (spec.parameters) parameters(errors, spec.parameters);
  return errors;
}

function parameters(errors: Errors, reference: networking.IngressClassParametersReference): void {
  const { apiGroup, scope, namespace } = reference;
  const namespacePath = PARAMETERS.child("namespace");
  if (apiGroup !== undefined) dnsSubdomain(errors, apiGroup, PARAMETERS.child("apiGroup"));
  requiredName(errors, reference.kind, PARAMETERS.child("kind"), isPathSegmentName);
  requiredName(errors, reference.name, PARAMETERS.child("name"), isPathSegmentName);
  if (scope === undefined) errors.push(field.required(PARAMETERS.child("scope"), ""));
  else if (scope === "Namespace") {
    if (namespace !== undefined) name(errors, namespace, namespacePath, isDns1123Label);
    else errors.push(field.required(namespacePath, "`parameters.scope` is set to 'Namespace'"));
  } else if (scope === "Cluster") {
    if (namespace !== undefined) errors.push(field.forbidden(namespacePath, "`parameters.scope` is set to 'Cluster'"));
  } else errors.push(field.notSupported(PARAMETERS.child("scope"), scope, ["Cluster", "Namespace"]));
}

function validateUpdate(object: networking.IngressClass, old: networking.IngressClass): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, object.metadata ?? {}, old.metadata ?? {}, METADATA);
  const controller = object.spec?.controller ?? "";
  if (controller !== (old.spec?.controller ?? "")) errors.push(field.invalid(CONTROLLER, controller, IMMUTABLE));
  return [...errors, ...validate(object)];
}

const strategy = kindStrategy<networking.IngressClass>({
  prepareForCreate: firstGeneration,
  validate,
  prepareForUpdate: (object, old) => countChange(object, old, "spec"),
  validateUpdate,
});

function ingressClassCells(object: networking.IngressClass, now: EpochMs): unknown[] {
  const { controller = "", parameters } = object.spec ?? {};
  const group = parameters?.apiGroup === undefined ? "" : `.${parameters.apiGroup}`;
  const mark = defaultMark(object, "ingressclass.kubernetes.io/is-default-class");
  const shown = parameters ? `${parameters.kind ?? ""}${group}/${parameters.name ?? ""}` : "<none>";
  return [nameOf(object) + mark, controller, shown, ageOf(object, now)];
}

export const ingressClass: Kind<networking.IngressClass> = {
  key: "ingressclasses.networking.k8s.io",
  strategy,
  defaults: at("spec", at("parameters", nil({ scope: "Cluster" }))),
  printer: printer("Name|Controller|Parameters|Age", ingressClassCells),
};
