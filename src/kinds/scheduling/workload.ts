// Workloads: templates of pod groups. Immutable.
// Upstream: pkg/registry/scheduling/workload/strategy.go; pkg/apis/scheduling/v1alpha2, the generated checks.

import * as field from "#api/field-error.ts";
import type * as alpha from "#api/generated/types/scheduling-v1alpha2.ts";
import { isDns1123Subdomain, isPathSegmentName } from "#api/names.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import type { Kind } from "#kinds/kind.ts";
import { type Errors, requiredName } from "#kinds/parts/checks.ts";
import { immutable, isShortName, longName, maxItems, unique } from "#kinds/parts/declarative.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { nameAndAge } from "#kinds/parts/printer.ts";
import { kindStrategy } from "#kinds/strategy.ts";
import { groupPart, withoutDisabled } from "./pod-group-parts.ts";

const METADATA = field.newPath("metadata");
const REFERENCE = field.newPath("spec", "controllerRef");
const TEMPLATES = field.newPath("spec", "podGroupTemplates");
const TEMPLATES_MAX = 8;

function validate({ metadata = {}, spec }: alpha.Workload, gates: FeatureGateReader): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, metadata, true, isDns1123Subdomain, METADATA);
  const { controllerRef } = spec ?? {};
  const templates = spec?.podGroupTemplates ?? [];
  if (controllerRef !== undefined) {
    if (controllerRef.apiGroup) longName(errors, controllerRef.apiGroup, REFERENCE.child("apiGroup"));
    requiredName(errors, controllerRef.kind, REFERENCE.child("kind"), isPathSegmentName);
    requiredName(errors, controllerRef.name, REFERENCE.child("name"), isPathSegmentName);
  }
  const isTooLong = maxItems(errors, templates, TEMPLATES, TEMPLATES_MAX);
  if (templates.length === 0) errors.push(field.required(TEMPLATES, ""));
  if (isTooLong) return errors;
  unique(errors, templates.map(printedTemplate), TEMPLATES, ({ name }) => name);
  for (const [index, template] of templates.entries()) {
    const path = TEMPLATES.index(index);
    requiredName(errors, template.name, path.child("name"), isShortName);
    groupPart(errors, { value: template, old: undefined, isUpdate: false }, path, gates, false);
  }
  return errors;
}

/** In the order of upstream's fields. */
function printedTemplate(template: alpha.PodGroupTemplate) {
  const { name, schedulingPolicy, schedulingConstraints, resourceClaims, disruptionMode, ...rest } = template;
  const { priorityClassName, priority } = rest;
  return {
    name,
    schedulingPolicy,
    schedulingConstraints: schedulingConstraints ?? null,
    ...((resourceClaims ?? []).length === 0 ? {} : { resourceClaims }),
    ...(disruptionMode === undefined ? {} : { disruptionMode }),
    ...(priorityClassName ? { priorityClassName } : {}),
    ...(priority === undefined ? {} : { priority }),
  };
}

function validateUpdate(workload: alpha.Workload, old: alpha.Workload): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, workload.metadata ?? {}, old.metadata ?? {}, METADATA);
  const [spec, before] = [workload.spec, old.spec];
  immutable(errors, { value: spec?.controllerRef, old: before?.controllerRef, isUpdate: true }, REFERENCE);
  const templates = spec?.podGroupTemplates ?? [];
  const change = { value: templates, old: before?.podGroupTemplates ?? [], isUpdate: true };
  if (!immutable(errors, change, TEMPLATES)) return errors;
  maxItems(errors, templates, TEMPLATES, TEMPLATES_MAX);
  if (templates.length === 0) errors.push(field.required(TEMPLATES, ""));
  return errors;
}

function withEnabledFields(workload: alpha.Workload, old: alpha.Workload | undefined, gates: FeatureGateReader) {
  const { spec } = workload;
  if (spec?.podGroupTemplates === undefined || spec.podGroupTemplates === null) return workload;
  const podGroupTemplates = spec.podGroupTemplates.map((template, index) =>
    withoutDisabled(template, old?.spec?.podGroupTemplates?.[index], gates),
  );
  return { ...workload, spec: { ...spec, podGroupTemplates } };
}

/** Go writes null for a template without constraints. */
function withNulls(workload: alpha.Workload): alpha.Workload {
  const { spec } = workload;
  const none = { schedulingConstraints: null } as unknown as Partial<alpha.PodGroupTemplate>;
  const podGroupTemplates = (spec?.podGroupTemplates ?? []).map((template) => ({ ...none, ...template }));
  return { ...workload, spec: { ...spec, podGroupTemplates } };
}

const strategy = kindStrategy<alpha.Workload>({
  prepareForCreate: (workload, { gates }) => withEnabledFields(workload, undefined, gates),
  validate: (workload, { gates }) => validate(workload, gates),
  prepareForUpdate: (workload, old, { gates }) => withEnabledFields(workload, old, gates),
  validateUpdate,
  canonicalize: withNulls,
});

export const workload: Kind<alpha.Workload> = {
  key: "workloads.scheduling.k8s.io",
  strategy,
  printer: nameAndAge,
};
