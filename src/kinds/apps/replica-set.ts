// ReplicaSets. Upstream: pkg/registry/apps/replicaset/strategy.go; pkg/apis/apps/validation, ValidateReplicaSet

import * as field from "#api/field-error.ts";
import type * as apps from "#api/generated/types/apps-v1.ts";
import { formatLabelSelector } from "#api/label-selector.ts";
import { lazy } from "#api/lazy.ts";
import { isDns1123Subdomain } from "#api/names.ts";
import { schemaOfType } from "#api/schema-table.ts";
import type { Kind } from "#kinds/kind.ts";
import { type Errors, nonNegative } from "#kinds/parts/checks.ts";
import { all, inner, nil } from "#kinds/parts/defaulting.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { countChange, firstGeneration, put } from "#kinds/parts/preparing.ts";
import { ageOf, containerCells, nameOf, printer } from "#kinds/parts/printer.ts";
import { scaleBySelector } from "#kinds/parts/scale.ts";
import { templateAliases } from "#kinds/pod-spec/aliases.ts";
import type { PodOptions } from "#kinds/pod-spec/pod-options.ts";
import { template } from "#kinds/pod-spec/template-defaults.ts";
import {
  isCounted,
  nameWarnings,
  optionsOf,
  templateWarnings,
  withoutDisabledTemplate,
} from "#kinds/pod-spec/template-rules.ts";
import { fixedSelector, workloadSelector, workloadTemplate } from "#kinds/pod-spec/workload-template.ts";
import { kindStrategy } from "#kinds/strategy.ts";
import { REPLICA_COLUMNS, validateReplicaStatusUpdate } from "./replica-validation.ts";

const METADATA = field.newPath("metadata");
const SPEC = field.newPath("spec");

function validateReplicaSet(rs: apps.ReplicaSet, opts: PodOptions): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, rs.metadata ?? {}, true, isDns1123Subdomain, METADATA);
  replicaSetSpec(errors, rs.spec, opts);
  return errors;
}

function validateReplicaSetUpdate(rs: apps.ReplicaSet, old: apps.ReplicaSet, opts: PodOptions): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, rs.metadata ?? {}, old.metadata ?? {}, METADATA);
  replicaSetSpec(errors, rs.spec, opts);
  fixedSelector(errors, rs.spec?.selector, old.spec?.selector, SPEC.child("selector"));
  return errors;
}

function replicaSetSpec(errors: Errors, given: apps.ReplicaSetSpec | undefined, opts: PodOptions): void {
  const spec: Partial<apps.ReplicaSetSpec> = given ?? {};
  nonNegative(errors, spec.replicas, SPEC.child("replicas"));
  nonNegative(errors, spec.minReadySeconds, SPEC.child("minReadySeconds"));
  const selector = workloadSelector(errors, spec.selector, SPEC.child("selector"), "deployment");
  if (selector) workloadTemplate(errors, spec.template ?? {}, selector, "ReplicaSet", SPEC.child("template"), opts);
}

const REPLICA_SET_SPEC = lazy(() => schemaOfType("apps.v1", "ReplicaSetSpec"));

const strategy = kindStrategy<apps.ReplicaSet>({
  resetFields: [["status"]],
  prepareForCreate: (rs, { gates }) =>
    withoutDisabledTemplate(firstGeneration({ ...rs, status: { replicas: 0 } }), undefined, gates),
  validate: (rs, ctx) => validateReplicaSet(rs, optionsOf(ctx)),
  warningsOnCreate: (object, ctx) => [...nameWarnings(object), ...templateWarnings(object.spec?.template, ctx)],
  prepareForUpdate(rs, old, { gates }) {
    const kept = withoutDisabledTemplate(put(rs, "status", old.status), old, gates);
    return countChange(kept, old, "spec", REPLICA_SET_SPEC());
  },
  warningsOnUpdate: (rs, old, ctx) => (isCounted(rs, old) ? templateWarnings(rs.spec?.template, ctx) : []),
  validateUpdate: (rs, old, ctx) => validateReplicaSetUpdate(rs, old, optionsOf(ctx, old.spec?.template)),
  subresources: {
    status: {
      prepareForUpdate(rs, old, { gates }) {
        const kept = put(rs, "spec", old.spec);
        const isAllowed =
          gates.isEnabled("DeploymentReplicaSetTerminatingReplicas") || old.status?.terminatingReplicas !== undefined;
        if (isAllowed || kept.status?.terminatingReplicas === undefined) return kept;
        return put(kept, "status", put(kept.status, "terminatingReplicas", undefined));
      },
      validateUpdate: validateReplicaStatusUpdate,
      resetFields: [["spec"]],
    },
  },
});

export const replicaSet: Kind<apps.ReplicaSet> = {
  key: "replicasets.apps",
  strategy,
  defaults: inner("spec", all(nil({ replicas: 1 }), template)),
  fillAliases: templateAliases,
  printer: printer<apps.ReplicaSet>(REPLICA_COLUMNS, (set, now) => [
    nameOf(set),
    set.spec?.replicas ?? 0,
    set.status?.replicas ?? 0,
    set.status?.readyReplicas ?? 0,
    ageOf(set, now),
    ...containerCells(set.spec?.template?.spec?.containers),
    formatLabelSelector(set.spec?.selector),
  ]),
  scale: scaleBySelector,
};
