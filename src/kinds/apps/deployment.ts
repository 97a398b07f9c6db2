// Strategies of Deployments, StatefulSets, DaemonSets and ControllerRevisions.
// Upstream: pkg/registry/apps/{deployment,statefulset,daemonset,controllerrevision}/strategy.go

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as apps from "#api/generated/types/apps-v1.ts";
import { lazy } from "#api/lazy.ts";
import { schemaOfType } from "#api/schema-table.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import { countChange, firstGeneration, put, putMeta } from "#kinds/parts/preparing.ts";
import { POD_TEMPLATE, STATEFUL_SET_SPEC } from "#kinds/pod-spec/pod-schema.ts";
import { fractional } from "#kinds/pod-spec/pod-warnings.ts";
import type { KindStrategy } from "#kinds/strategy.ts";
import {
  validateControllerRevision,
  validateControllerRevisionUpdate,
  validateDaemonSet,
  validateDaemonSetStatusUpdate,
  validateDaemonSetUpdate,
  validateDeployment,
  validateDeploymentStatusUpdate,
  validateDeploymentUpdate,
} from "./daemon-set.ts";
import { isCounted, nameWarnings, optionsOf, templateWarnings, withoutDisabledTemplate } from "./replica-set.ts";
import {
  validateStatefulSet,
  validateStatefulSetStatusUpdate,
  validateStatefulSetUpdate,
} from "./stateful-set-validation.ts";

const DEPLOYMENT_SPEC = lazy(() => schemaOfType("apps.v1", "DeploymentSpec"));
const DAEMON_SET_SPEC = lazy(() => schemaOfType("apps.v1", "DaemonSetSpec"));

export const deploymentStrategy: KindStrategy<apps.Deployment> = {
  namespaced: true,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  defaultPropagation: "Background",
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
    // Annotations count too: rolling back once went through them.
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
};

function withoutMaxUnavailable(
  set: apps.StatefulSet,
  old: apps.StatefulSet | undefined,
  gates: FeatureGateReader,
): apps.StatefulSet {
  const rolling = set.spec?.updateStrategy?.rollingUpdate;
  if (set.spec === undefined || rolling?.maxUnavailable === undefined) return set;
  if (gates.isEnabled("MaxUnavailableStatefulSet")) return set;
  if (old?.spec?.updateStrategy?.rollingUpdate?.maxUnavailable !== undefined) return set;
  const rollingUpdate = put(rolling, "maxUnavailable", undefined);
  return { ...set, spec: { ...set.spec, updateStrategy: { ...set.spec.updateStrategy, rollingUpdate } } };
}

/** The path of a claim's amounts differs between create and update, as upstream has it. */
function setWarnings(set: apps.StatefulSet, specName: readonly string[]): string[] {
  const warnings: string[] = [];
  set.spec?.volumeClaimTemplates?.forEach(({ spec }, i) => {
    const claim = field.newPath("spec", "volumeClaimTemplates").index(i);
    const path = [...specName, "resources"].reduce((at, part) => at.child(part), claim);
    fractional(warnings, spec?.resources?.requests, "storage", path.child("requests"));
    fractional(warnings, spec?.resources?.limits, "storage", path.child("limits"));
  });
  if ((set.spec?.revisionHistoryLimit ?? 0) < 0) {
    const advice = "a negative value retains all historical revisions; a value >= 0 is recommended";
    warnings.push(`spec.revisionHistoryLimit: ${advice}`);
  }
  return warnings;
}

export const statefulSetStrategy: KindStrategy<apps.StatefulSet> = {
  namespaced: true,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  defaultPropagation: "Background",
  resetFields: [["status"]],
  prepareForCreate(set, { gates }) {
    const started = firstGeneration({ ...set, status: { replicas: 0, availableReplicas: 0 } });
    return withoutDisabledTemplate(withoutMaxUnavailable(started, undefined, gates), undefined, gates);
  },
  validate: (set, ctx) => validateStatefulSet(set, optionsOf(ctx)),
  warningsOnCreate: (set, ctx) => [...templateWarnings(set.spec?.template, ctx), ...setWarnings(set, [])],
  prepareForUpdate(set, old, { gates }) {
    const kept = withoutMaxUnavailable(put(set, "status", old.status), old, gates);
    return countChange(withoutDisabledTemplate(kept, old, gates), old, "spec", STATEFUL_SET_SPEC());
  },
  validateUpdate: (set, old, ctx) => validateStatefulSetUpdate(set, old, optionsOf(ctx, old.spec?.template)),
  warningsOnUpdate: (set, old, ctx) => [
    ...(isCounted(set, old) ? templateWarnings(set.spec?.template, ctx) : []),
    ...setWarnings(set, ["Spec"]),
  ],
  subresources: {
    status: {
      prepareForUpdate: (set, old) => put(set, "spec", old.spec),
      validateUpdate: validateStatefulSetStatusUpdate,
      resetFields: [["spec"]],
    },
  },
};

const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";

/** The internal form has a field for it, the wire an annotation. */
const templateGeneration = ({ metadata }: apps.DaemonSet): number =>
  Number(metadata?.annotations?.[TEMPLATE_GENERATION] ?? 0);

const withTemplateGeneration = (set: apps.DaemonSet, generation: number): apps.DaemonSet =>
  putMeta(set, { annotations: { ...set.metadata?.annotations, [TEMPLATE_GENERATION]: String(generation) } });

const NO_DAEMONS: apps.DaemonSetStatus = {
  currentNumberScheduled: 0,
  desiredNumberScheduled: 0,
  numberMisscheduled: 0,
  numberReady: 0,
};

export const daemonSetStrategy: KindStrategy<apps.DaemonSet> = {
  namespaced: true,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  defaultPropagation: "Background",
  resetFields: [["status"]],
  prepareForCreate(set, { gates }) {
    const started = firstGeneration({ ...set, status: NO_DAEMONS });
    const numbered = withTemplateGeneration(started, Math.max(1, templateGeneration(set)));
    return withoutDisabledTemplate(numbered, undefined, gates);
  },
  validate: (set, ctx) => validateDaemonSet(set, templateGeneration(set), optionsOf(ctx)),
  warningsOnCreate: (set, ctx) => templateWarnings(set.spec?.template, ctx),
  prepareForUpdate(set, old, { gates }) {
    const kept = withoutDisabledTemplate(put(set, "status", old.status), old, gates);
    const generation = templateGeneration(old);
    if (semanticEqual(kept.spec?.template, old.spec?.template, POD_TEMPLATE())) {
      return countChange(withTemplateGeneration(kept, generation), old, "spec", DAEMON_SET_SPEC());
    }
    return putMeta(withTemplateGeneration(kept, generation + 1), { generation: (old.metadata?.generation ?? 0) + 1 });
  },
  validateUpdate(set, old, ctx) {
    const generations = { now: templateGeneration(set), old: templateGeneration(old) };
    return validateDaemonSetUpdate(set, old, generations, optionsOf(ctx, old.spec?.template));
  },
  warningsOnUpdate: (set, old, ctx) =>
    templateGeneration(set) === templateGeneration(old) ? [] : templateWarnings(set.spec?.template, ctx),
  subresources: {
    status: {
      prepareForUpdate: (set, old) => withTemplateGeneration(put(set, "spec", old.spec), templateGeneration(old)),
      validateUpdate: validateDaemonSetStatusUpdate,
      resetFields: [["spec"]],
    },
  },
};

export const controllerRevisionStrategy: KindStrategy<apps.ControllerRevision> = {
  namespaced: true,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  defaultPropagation: "Background",
  prepareForCreate: (revision) => revision,
  validate: validateControllerRevision,
  prepareForUpdate: (revision) => revision,
  validateUpdate: validateControllerRevisionUpdate,
  subresources: {},
};
