// Deployments. Upstream: pkg/registry/apps/deployment/strategy.go; pkg/apis/apps/validation, ValidateDeployment

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as apps from "#api/generated/types/apps-v1.ts";
import { selectorFromObject } from "#api/label-selector.ts";
import { lazy } from "#api/lazy.ts";
import type { LabelSelector } from "#api/meta.ts";
import { isDns1123Subdomain } from "#api/names.ts";
import { schemaOfType } from "#api/schema-table.ts";
import type { EpochMs } from "#base/clock.ts";
import type { Kind } from "#kinds/kind.ts";
import { type Errors, nonNegative, type Path } from "#kinds/parts/checks.ts";
import { all, inner, nil, type Rule } from "#kinds/parts/defaulting.ts";
import { internalForm } from "#kinds/parts/internal-form.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { countChange, firstGeneration, put, putMeta } from "#kinds/parts/preparing.ts";
import { ageOf, containerCells, nameOf, printer } from "#kinds/parts/printer.ts";
import { scaleBySelector } from "#kinds/parts/scale.ts";
import { templateAliases } from "#kinds/pod-spec/aliases.ts";
import type { PodOptions } from "#kinds/pod-spec/pod-options.ts";
import { rolling, template } from "#kinds/pod-spec/template-defaults.ts";
import {
  isCounted,
  nameWarnings,
  optionsOf,
  templateWarnings,
  withoutDisabledTemplate,
} from "#kinds/pod-spec/template-rules.ts";
import {
  atMost100Percent,
  bareNumber,
  fixedSelector,
  intOrPercent,
  notDecremented,
  workloadSelector,
  workloadTemplate,
} from "#kinds/pod-spec/workload-template.ts";
import { kindStrategy } from "#kinds/strategy.ts";

const METADATA = field.newPath("metadata");
const SPEC = field.newPath("spec");
const STATUS = field.newPath("status");

function validateDeployment(deployment: apps.Deployment, opts: PodOptions): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, deployment.metadata ?? {}, true, isDns1123Subdomain, METADATA);
  deploymentSpec(errors, deployment.spec ?? {}, opts);
  return errors;
}

function validateDeploymentUpdate(
  deployment: apps.Deployment,
  old: apps.Deployment,
  opts: PodOptions,
): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, deployment.metadata ?? {}, old.metadata ?? {}, METADATA);
  deploymentSpec(errors, deployment.spec ?? {}, opts);
  fixedSelector(errors, deployment.spec?.selector, old.spec?.selector, SPEC.child("selector"));
  return errors;
}

function deploymentSpec(errors: Errors, spec: Partial<apps.DeploymentSpec>, opts: PodOptions): void {
  nonNegative(errors, spec.replicas, SPEC.child("replicas"));
  const selector = workloadSelector(errors, spec.selector, SPEC.child("selector"), "deployment");
  if (selector) workloadTemplate(errors, spec.template ?? {}, selector, "ReplicaSet", SPEC.child("template"), opts);
  rolloutStrategy(errors, spec.strategy ?? {}, SPEC.child("strategy"));
  nonNegative(errors, spec.minReadySeconds, SPEC.child("minReadySeconds"));
  nonNegative(errors, spec.revisionHistoryLimit, SPEC.child("revisionHistoryLimit"));
  const deadline = spec.progressDeadlineSeconds;
  if (deadline === undefined) return;
  nonNegative(errors, deadline, SPEC.child("progressDeadlineSeconds"));
  if (deadline <= (spec.minReadySeconds ?? 0)) {
    const detail = "must be greater than minReadySeconds";
    errors.push(field.invalid(SPEC.child("progressDeadlineSeconds"), deadline, detail));
  }
}

function rolloutStrategy(errors: Errors, strategy: apps.DeploymentStrategy, path: Path): void {
  const { type, rollingUpdate } = strategy;
  const at = path.child("rollingUpdate");
  if (type === "Recreate") {
    if (rollingUpdate) errors.push(field.forbidden(at, "may not be specified when strategy `type` is 'Recreate'"));
  } else if (type !== "RollingUpdate") {
    errors.push(field.notSupported(path, internalForm("DeploymentStrategy", strategy), ["Recreate", "RollingUpdate"]));
  } else if (!rollingUpdate) {
    errors.push(field.required(at, "this should be defaulted and never be nil"));
  } else {
    const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate;
    intOrPercent(errors, maxUnavailable, at.child("maxUnavailable"));
    intOrPercent(errors, maxSurge, at.child("maxSurge"));
    if (bareNumber(maxUnavailable) === 0 && bareNumber(maxSurge) === 0) {
      errors.push(field.invalid(at.child("maxUnavailable"), maxUnavailable, "may not be 0 when `maxSurge` is 0"));
    }
    atMost100Percent(errors, maxUnavailable, at.child("maxUnavailable"));
  }
}

function validateDeploymentStatusUpdate(deployment: apps.Deployment, old: apps.Deployment): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, deployment.metadata ?? {}, old.metadata ?? {}, METADATA);
  const status = deployment.status ?? {};
  const counts = ["updatedReplicas", "readyReplicas", "availableReplicas"] as const;
  const all = [
    "observedGeneration",
    "replicas",
    ...counts,
    "unavailableReplicas",
    "terminatingReplicas",
    "collisionCount",
  ] as const;
  for (const part of all) nonNegative(errors, status[part], STATUS.child(part));
  for (const part of counts) {
    const count = status[part] ?? 0;
    if (count <= (status.replicas ?? 0)) continue;
    errors.push(field.invalid(STATUS.child(part), count, "cannot be greater than status.replicas"));
  }
  const available = status.availableReplicas ?? 0;
  if (available > (status.readyReplicas ?? 0)) {
    errors.push(field.invalid(STATUS.child("availableReplicas"), available, "cannot be greater than readyReplicas"));
  }
  notDecremented(errors, status.collisionCount, old.status?.collisionCount, STATUS.child("collisionCount"));
  return errors;
}

const DEPLOYMENT_SPEC = lazy(() => schemaOfType("apps.v1", "DeploymentSpec"));

const defaults: Rule = inner(
  "spec",
  all(
    nil({ replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 }),
    inner("strategy", rolling({ maxUnavailable: "25%", maxSurge: "25%" })),
    template,
  ),
);

/** Deployments print an empty selector as an empty text. */
function selectorText(selector: LabelSelector | undefined): string {
  try {
    return selectorFromObject(selector).toString();
  } catch {
    return "<invalid>";
  }
}

function deploymentCells(deployment: apps.Deployment, now: EpochMs): unknown[] {
  const { spec, status } = deployment;
  return [
    nameOf(deployment),
    `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
    status?.updatedReplicas ?? 0,
    status?.availableReplicas ?? 0,
    ageOf(deployment, now),
    ...containerCells(spec?.template?.spec?.containers),
    selectorText(spec?.selector),
  ];
}

const strategy = kindStrategy<apps.Deployment>({
  resetFields: [["status"]],
  prepareForCreate: (deployment, { gates }) =>
    withoutDisabledTemplate(firstGeneration({ ...deployment, status: {} }), undefined, gates),
  validate: (deployment, ctx) => validateDeployment(deployment, optionsOf(ctx)),
  warningsOnCreate: (deployment, ctx) => [
    ...nameWarnings(deployment),
    ...templateWarnings(deployment.spec?.template, ctx),
  ],
  prepareForUpdate(deployment, old, { gates }) {
    const kept = withoutDisabledTemplate(put(deployment, "status", old.status), old, gates);
    // Annotations count too, because rollbacks once used them.
    const isSame = semanticEqual(kept.metadata?.annotations ?? {}, old.metadata?.annotations ?? {});
    return isSame
      ? countChange(kept, old, "spec", DEPLOYMENT_SPEC())
      : putMeta(kept, { generation: (old.metadata?.generation ?? 0) + 1 });
  },
  validateUpdate: (deployment, old, ctx) =>
    validateDeploymentUpdate(deployment, old, optionsOf(ctx, old.spec?.template)),
  warningsOnUpdate: (deployment, old, ctx) =>
    isCounted(deployment, old) ? templateWarnings(deployment.spec?.template, ctx) : [],
  subresources: {
    status: {
      prepareForUpdate(deployment, old, { gates }) {
        const metadata = put(deployment.metadata ?? {}, "labels", old.metadata?.labels);
        const kept = put({ ...deployment, metadata }, "spec", old.spec);
        const isAllowed =
          gates.isEnabled("DeploymentReplicaSetTerminatingReplicas") || old.status?.terminatingReplicas !== undefined;
        if (isAllowed || kept.status?.terminatingReplicas === undefined) return kept;
        return put(kept, "status", put(kept.status, "terminatingReplicas", undefined));
      },
      validateUpdate: validateDeploymentStatusUpdate,
      resetFields: [["spec"], ["metadata", "labels"]],
    },
  },
});

export const deployment: Kind<apps.Deployment> = {
  key: "deployments.apps",
  strategy,
  defaults,
  fillAliases: templateAliases,
  printer: printer("Name|Ready|Up-to-date|Available|Age|Containers*|Images*|Selector*", deploymentCells),
  scale: scaleBySelector,
};
