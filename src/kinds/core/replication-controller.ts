// Replication controllers. Upstream: pkg/registry/core/replicationcontroller/strategy.go; pkg/apis/core/validation

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { selectorFromSet } from "#api/label-selector.ts";
import { lazy } from "#api/lazy.ts";
import { isDns1123Subdomain, maxLengthBytes, maxLengthCharacters, type NameCheck } from "#api/names.ts";
import { schemaOfType } from "#api/schema-table.ts";
import { REPLICA_COLUMNS, validateReplicaStatusUpdate } from "#kinds/apps/replica-validation.ts";
import type { Kind } from "#kinds/kind.ts";
import { type Errors, nonNegative } from "#kinds/parts/checks.ts";
import { all, at, inner, isEmpty, isObject, nil, type Rule, set } from "#kinds/parts/defaulting.ts";
import { objectMetaOfFinishedName, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { countChange, firstGeneration, put, statusStrategy } from "#kinds/parts/preparing.ts";
import { ageOf, containerCells, formatLabels, nameOf, printer } from "#kinds/parts/printer.ts";
import { REPLICAS } from "#kinds/parts/scale.ts";
import { templateAliases } from "#kinds/pod-spec/aliases.ts";
import { podTemplateDefaults } from "#kinds/pod-spec/pod-defaults.ts";
import type { PodOptions } from "#kinds/pod-spec/pod-options.ts";
import { labelsFrom, labelsOf, NO_CONTEXT } from "#kinds/pod-spec/template-defaults.ts";
import {
  isCounted,
  nameWarnings,
  optionsOf,
  templateWarnings,
  withoutDisabledTemplate,
} from "#kinds/pod-spec/template-rules.ts";
import { workloadTemplate } from "#kinds/pod-spec/workload-template.ts";
import { kindStrategy } from "#kinds/strategy.ts";

const METADATA = field.newPath("metadata");
const SPEC = field.newPath("spec");

/** The generated check of the same names counts bytes. Upstream: apimachinery pkg/api/validate, LongName */
const isLongName: NameCheck = (value) =>
  isDns1123Subdomain(value).map((message) => (message === maxLengthCharacters(253) ? maxLengthBytes(253) : message));

function validateReplicationController(rc: core.ReplicationController, opts: PodOptions): field.FieldError[] {
  const errors: Errors = [];
  objectMetaOfFinishedName(errors, rc.metadata ?? {}, true, isLongName, METADATA);
  controllerSpec(errors, rc.spec ?? {}, opts);
  return errors;
}

function validateReplicationControllerUpdate(
  rc: core.ReplicationController,
  old: core.ReplicationController,
  opts: PodOptions,
): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, rc.metadata ?? {}, old.metadata ?? {}, METADATA);
  controllerSpec(errors, rc.spec ?? {}, opts);
  return errors;
}

function controllerSpec(errors: Errors, spec: core.ReplicationControllerSpec, opts: PodOptions): void {
  nonNegative(errors, spec.minReadySeconds, SPEC.child("minReadySeconds"));
  if (Object.keys(spec.selector ?? {}).length === 0) errors.push(field.required(SPEC.child("selector"), ""));
  if (spec.replicas === undefined) errors.push(field.required(SPEC.child("replicas"), ""));
  else nonNegative(errors, spec.replicas, SPEC.child("replicas"));
  const path = SPEC.child("template");
  if (!spec.template) errors.push(field.required(path, ""));
  else workloadTemplate(errors, spec.template, selectorFromSet(spec.selector), "ReplicationController", path, opts);
}

const CONTROLLER_SPEC = lazy(() => schemaOfType("core.v1", "ReplicationControllerSpec"));
const NON_CONVERTIBLE = "non-convertible.kubernetes.io";

/** Old conversions left annotations with the names of fields that they could not convert. */
function nonConvertible(rc: core.ReplicationController, old: core.ReplicationController): field.FieldError[] {
  const errors: field.FieldError[] = [];
  for (const [key, badValue] of Object.entries(old.metadata?.annotations ?? {})) {
    const parts = key.split("/");
    const broken = parts[1];
    if (!key.startsWith(NON_CONVERTIBLE) || parts.length !== 2 || broken === undefined) continue;
    if (!broken.includes("selector")) {
      errors.push({ type: "FieldValueNotFound", field: broken, badValue, detail: "unknown non-convertible field" });
    } else if (!semanticEqual(old.spec?.selector, rc.spec?.selector)) {
      const path = field.newPath("spec", "selector");
      errors.push(field.invalid(path, rc.spec?.selector ?? null, "cannot update non-convertible selector"));
    }
  }
  return errors;
}

const defaults: Rule = all(
  (object) => {
    const template = isObject(object.spec) ? labelsOf(object.spec.template) : undefined;
    if (template === undefined) return object;
    const selected = at("spec", (spec) => (isEmpty(spec.selector) ? set(spec, "selector", template) : spec))(
      object,
      NO_CONTEXT,
    );
    return labelsFrom(selected, template);
  },
  inner("spec", all(nil({ replicas: 1 }), at("template", podTemplateDefaults))),
);

const strategy = kindStrategy<core.ReplicationController>({
  defaultPropagation: "Orphan",
  resetFields: [["status"]],
  prepareForCreate: (rc, { gates }) =>
    withoutDisabledTemplate(firstGeneration({ ...rc, status: { replicas: 0 } }), undefined, gates),
  validate: (rc, ctx) => validateReplicationController(rc, optionsOf(ctx)),
  warningsOnCreate: (object, ctx) => [...nameWarnings(object), ...templateWarnings(object.spec?.template, ctx)],
  prepareForUpdate(rc, old, { gates }) {
    const kept = withoutDisabledTemplate(put(rc, "status", old.status), old, gates);
    return countChange(kept, old, "spec", CONTROLLER_SPEC());
  },
  // As upstream, the warnings are about the old template.
  warningsOnUpdate: (rc, old, ctx) => (isCounted(rc, old) ? templateWarnings(old.spec?.template, ctx) : []),
  validateUpdate: (rc, old, ctx) => [
    ...validateReplicationControllerUpdate(rc, old, optionsOf(ctx, old.spec?.template)),
    ...nonConvertible(rc, old),
  ],
  subresources: {
    status: statusStrategy<core.ReplicationController>(validateReplicaStatusUpdate),
  },
});

export const replicationController: Kind<core.ReplicationController> = {
  key: "replicationcontrollers",
  etcdDirectory: "controllers",
  strategy,
  defaults,
  fillAliases: templateAliases,
  selectableFields: { "status.replicas": ({ status }) => String(status?.replicas ?? 0) },
  printer: printer<core.ReplicationController>(REPLICA_COLUMNS, (rc, now) => [
    nameOf(rc),
    rc.spec?.replicas ?? 0,
    rc.status?.replicas ?? 0,
    rc.status?.readyReplicas ?? 0,
    ageOf(rc, now),
    ...containerCells(rc.spec?.template?.spec?.containers),
    formatLabels(rc.spec?.selector),
  ]), // A replication controller's selector is a plain map of labels.
  scale: { ...REPLICAS, selector: ({ spec }) => selectorFromSet(spec?.selector).toString() },
};
