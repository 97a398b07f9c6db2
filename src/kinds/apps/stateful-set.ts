// StatefulSets. Upstream: pkg/registry/apps/statefulset/strategy.go

import * as field from "#api/field-error.ts";
import type * as apps from "#api/generated/types/apps-v1.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import { claimDefaults } from "#kinds/core/persistent-volume-claim.ts";
import type { Kind } from "#kinds/kind.ts";
import { all, at, each, gated, inner, nil, type Rule, zero } from "#kinds/parts/defaulting.ts";
import { countChange, firstGeneration, put, statusStrategy } from "#kinds/parts/preparing.ts";
import { ageOf, containerCells, nameOf, printer } from "#kinds/parts/printer.ts";
import { scaleBySelector } from "#kinds/parts/scale.ts";
import { templateAliases } from "#kinds/pod-spec/aliases.ts";
import { STATEFUL_SET_SPEC } from "#kinds/pod-spec/pod-schema.ts";
import { fractional } from "#kinds/pod-spec/pod-warnings.ts";
import { template } from "#kinds/pod-spec/template-defaults.ts";
import { isCounted, optionsOf, templateWarnings, withoutDisabledTemplate } from "#kinds/pod-spec/template-rules.ts";
import { kindStrategy } from "#kinds/strategy.ts";
import {
  validateStatefulSet,
  validateStatefulSetStatusUpdate,
  validateStatefulSetUpdate,
} from "./stateful-set-validation.ts";

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

/** As upstream, the path of a claim's quantities differs between create and update. */
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

// Unlike in other kinds, an explicit RollingUpdate without parameters gets none.
const updateStrategy: Rule = all(
  (strategy, ctx) =>
    strategy.type ? strategy : all(nil({ rollingUpdate: {} }), zero({ type: "RollingUpdate" }))(strategy, ctx),
  (strategy, ctx) =>
    strategy.type === "RollingUpdate"
      ? at("rollingUpdate", all(nil({ partition: 0 }), gated("MaxUnavailableStatefulSet", nil({ maxUnavailable: 1 }))))(
          strategy,
          ctx,
        )
      : strategy,
);

const defaults: Rule = inner(
  "spec",
  all(
    zero({ podManagementPolicy: "OrderedReady" }),
    nil({ replicas: 1, revisionHistoryLimit: 10 }),
    inner("updateStrategy", updateStrategy),
    inner("persistentVolumeClaimRetentionPolicy", zero({ whenDeleted: "Retain", whenScaled: "Retain" })),
    template,
    each("volumeClaimTemplates", claimDefaults),
  ),
);

/** Upstream: Convert_apps_StatefulSetSpec_To_v1_StatefulSetSpec */
function withTypedClaims(set: apps.StatefulSet): apps.StatefulSet {
  const { spec } = set;
  const claims = spec?.volumeClaimTemplates ?? [];
  const type = { kind: "PersistentVolumeClaim", apiVersion: "v1" } as const;
  if (claims.every(({ kind, apiVersion }) => kind === type.kind && apiVersion === type.apiVersion)) return set;
  if (spec === undefined) return set;
  return { ...set, spec: { ...spec, volumeClaimTemplates: claims.map((claim) => ({ ...claim, ...type })) } };
}

const strategy = kindStrategy<apps.StatefulSet>({
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
    status: statusStrategy(validateStatefulSetStatusUpdate),
  },
});

export const statefulSet: Kind<apps.StatefulSet> = {
  key: "statefulsets.apps",
  strategy,
  defaults,
  fillAliases: (set) => withTypedClaims(templateAliases(set)),
  printer: printer<apps.StatefulSet>("Name|Ready|Age|Containers*|Images*", (set, now) => [
    nameOf(set),
    `${set.status?.readyReplicas ?? 0}/${set.spec?.replicas ?? 0}`,
    ageOf(set, now),
    ...containerCells(set.spec?.template?.spec?.containers),
  ]),
  scale: scaleBySelector,
};
