// Strategies of ReplicationControllers, ReplicaSets and PodTemplates.
// Upstream: pkg/registry/core/replicationcontroller, pkg/registry/apps/replicaset, pkg/registry/core/podtemplate

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as apps from "#api/generated/types/apps-v1.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { lazy } from "#api/lazy.ts";
import { isDns1123Label } from "#api/names.ts";
import type { KubeObject } from "#api/object.ts";
import { schemaOfType } from "#api/schema-table.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import { validatePodTemplate, validatePodTemplateUpdate } from "#kinds/core/pod-validation.ts";
import { countChange, firstGeneration, put } from "#kinds/parts/preparing.ts";
import { withoutDisabled } from "#kinds/pod-spec/disabled-fields.ts";
import { type PodOptions, podOptions, type TemplateLike } from "#kinds/pod-spec/pod-options.ts";
import { podWarnings } from "#kinds/pod-spec/pod-warnings.ts";
import type { KindStrategy, StrategyContext } from "#kinds/strategy.ts";
import {
  validateReplicaSet,
  validateReplicaSetUpdate,
  validateReplicaStatusUpdate,
  validateReplicationController,
  validateReplicationControllerUpdate,
} from "./replica-validation.ts";

const CONTROLLER_SPEC = lazy(() => schemaOfType("core.v1", "ReplicationControllerSpec"));
const REPLICA_SET_SPEC = lazy(() => schemaOfType("apps.v1", "ReplicaSetSpec"));
const TEMPLATE_SPEC = lazy(() => schemaOfType("core.v1", "PodTemplateSpec"));

export const optionsOf = (ctx: StrategyContext, old?: TemplateLike): PodOptions => podOptions(ctx.gates, old, false);

interface WithTemplate extends KubeObject {
  readonly spec?: { readonly template?: core.PodTemplateSpec };
}

export function withoutDisabledTemplate<T extends WithTemplate>(
  object: T,
  old: T | undefined,
  gates: FeatureGateReader,
): T {
  const template = object.spec?.template;
  if (template === undefined) return object;
  const kept = withoutDisabled(template, old?.spec?.template, gates);
  return kept === template ? object : { ...object, spec: { ...object.spec, template: kept } };
}

/** Pods are named after the controller, and hosts after pods. */
export function nameWarnings(object: KubeObject): string[] {
  const messages = isDns1123Label(object.metadata?.name ?? "");
  if (messages.length === 0) return [];
  const advice =
    "this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended";
  return [`metadata.name: ${advice}: [${messages.join(" ")}]`];
}

export const templateWarnings = (template: core.PodTemplateSpec | undefined, { gates }: StrategyContext): string[] =>
  podWarnings(template ?? {}, field.newPath("spec", "template"), gates);

/** Did the update change what the generation counts? */
export const isCounted = (object: KubeObject, old: KubeObject): boolean =>
  (object.metadata?.generation ?? 0) !== (old.metadata?.generation ?? 0);

const NON_CONVERTIBLE = "non-convertible.kubernetes.io";

/** Old conversions left annotations that name the fields they could not carry over. */
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

export const replicationControllerStrategy: KindStrategy<core.ReplicationController> = {
  namespaced: true,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
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
  // Upstream warns about the old template here.
  warningsOnUpdate: (rc, old, ctx) => (isCounted(rc, old) ? templateWarnings(old.spec?.template, ctx) : []),
  validateUpdate: (rc, old, ctx) => [
    ...validateReplicationControllerUpdate(rc, old, optionsOf(ctx, old.spec?.template)),
    ...nonConvertible(rc, old),
  ],
  selectableFields: ({ status }) => ({ "status.replicas": String(status?.replicas ?? 0) }),
  subresources: {
    status: {
      prepareForUpdate: (rc, old) => put(rc, "spec", old.spec),
      validateUpdate: validateReplicaStatusUpdate,
      resetFields: [["spec"]],
    },
  },
};

export const replicaSetStrategy: KindStrategy<apps.ReplicaSet> = {
  namespaced: true,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  defaultPropagation: "Background",
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
  selectableFields: ({ status }) => ({ "status.replicas": String(status?.replicas ?? 0) }),
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
};

export const podTemplateStrategy: KindStrategy<core.PodTemplate> = {
  namespaced: true,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  defaultPropagation: "Background",
  prepareForCreate: (object, { gates }) =>
    firstGeneration(put(object, "template", withoutDisabled(object.template ?? {}, undefined, gates))),
  validate: (object, ctx) => validatePodTemplate(object, optionsOf(ctx)),
  warningsOnCreate: ({ template }, ctx) => podWarnings(template ?? {}, field.newPath("template"), ctx.gates),
  warningsOnUpdate: (object, old, ctx) =>
    isCounted(object, old) ? podWarnings(object.template ?? {}, field.newPath("template"), ctx.gates) : [],
  prepareForUpdate(object, old, { gates }) {
    const template = withoutDisabled(object.template ?? {}, old.template ?? {}, gates);
    return countChange(put(object, "template", template), old, "template", TEMPLATE_SPEC());
  },
  validateUpdate: (object, old, ctx) => validatePodTemplateUpdate(object, old, optionsOf(ctx, old.template)),
  subresources: {},
};
