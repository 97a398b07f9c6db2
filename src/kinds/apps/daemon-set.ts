// DaemonSets. Upstream: pkg/registry/apps/daemonset/strategy.go; pkg/apis/apps/validation, ValidateDaemonSet

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as apps from "#api/generated/types/apps-v1.ts";
import { formatLabelSelector } from "#api/label-selector.ts";
import { lazy } from "#api/lazy.ts";
import { isDns1123Subdomain } from "#api/names.ts";
import { schemaOfType } from "#api/schema-table.ts";
import type { EpochMs } from "#base/clock.ts";
import { podTemplateSpec } from "#kinds/core/pod-validation.ts";
import type { Kind } from "#kinds/kind.ts";
import { type Errors, hasLabelSelectorErrors, labelSelector, nonNegative, type Path } from "#kinds/parts/checks.ts";
import { all, inner, nil, type Rule } from "#kinds/parts/defaulting.ts";
import { internalForm } from "#kinds/parts/internal-form.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { countChange, firstGeneration, put, putMeta } from "#kinds/parts/preparing.ts";
import { ageOf, containerCells, formatLabels, nameOf, printer } from "#kinds/parts/printer.ts";
import { templateAliases } from "#kinds/pod-spec/aliases.ts";
import type { PodOptions } from "#kinds/pod-spec/pod-options.ts";
import { POD_TEMPLATE } from "#kinds/pod-spec/pod-schema.ts";
import { rolling, template } from "#kinds/pod-spec/template-defaults.ts";
import { optionsOf, templateWarnings, withoutDisabledTemplate } from "#kinds/pod-spec/template-rules.ts";
import {
  atMost100Percent,
  bareNumber,
  fixedSelector,
  intOrPercent,
  isEmptySelector,
  keptRunning,
  notDecremented,
  parseSelector,
  templateMatches,
} from "#kinds/pod-spec/workload-template.ts";
import { kindStrategy } from "#kinds/strategy.ts";

const METADATA = field.newPath("metadata");
const SPEC = field.newPath("spec");
const STATUS = field.newPath("status");

function validateDaemonSet(set: apps.DaemonSet, generation: number, opts: PodOptions): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, set.metadata ?? {}, true, isDns1123Subdomain, METADATA);
  daemonSetSpec(errors, set.spec ?? {}, generation, opts, false);
  return errors;
}

/** Checks the template generations. */
function validateDaemonSetUpdate(
  set: apps.DaemonSet,
  old: apps.DaemonSet,
  generations: { readonly now: number; readonly old: number },
  opts: PodOptions,
): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, set.metadata ?? {}, old.metadata ?? {}, METADATA);
  const at = SPEC.child("templateGeneration");
  const isSame = semanticEqual(set.spec?.template, old.spec?.template, POD_TEMPLATE());
  if (generations.now < generations.old) errors.push(field.invalid(at, generations.now, "must not be decremented"));
  if (generations.now === generations.old && !isSame) {
    errors.push(field.invalid(at, generations.now, "must be incremented upon template update"));
  } else if (generations.now > generations.old && isSame) {
    errors.push(field.invalid(at, generations.now, "must not be incremented without template update"));
  }
  fixedSelector(errors, set.spec?.selector, old.spec?.selector, SPEC.child("selector"));
  const allowInvalidValues = opts.allowInvalidAffinitySelector || hasLabelSelectorErrors(old.spec?.selector);
  daemonSetSpec(errors, set.spec ?? {}, generations.now, opts, allowInvalidValues);
  return errors;
}

function daemonSetSpec(
  errors: Errors,
  spec: Partial<apps.DaemonSetSpec>,
  generation: number,
  opts: PodOptions,
  allowInvalidValues: boolean,
): void {
  const template = spec.template ?? {};
  labelSelector(errors, spec.selector, SPEC.child("selector"), allowInvalidValues);
  const selector = parseSelector(spec.selector);
  if (selector) templateMatches(errors, template, selector, SPEC.child("template"));
  if (spec.selector && isEmptySelector(spec.selector)) {
    errors.push(field.invalid(SPEC.child("selector"), {}, "empty selector is invalid for daemonset"));
  }
  podTemplateSpec(errors, template, SPEC.child("template"), opts);
  keptRunning(errors, template, "DaemonSet", SPEC.child("template"));
  nonNegative(errors, spec.minReadySeconds, SPEC.child("minReadySeconds"));
  nonNegative(errors, generation, SPEC.child("templateGeneration"));
  rolloutStrategy(errors, spec.updateStrategy ?? {}, SPEC.child("updateStrategy"));
  nonNegative(errors, spec.revisionHistoryLimit, SPEC.child("revisionHistoryLimit"));
}

function rolloutStrategy(errors: Errors, strategy: apps.DaemonSetUpdateStrategy, path: Path): void {
  const { type, rollingUpdate } = strategy;
  if (type === "OnDelete") return;
  if (type !== "RollingUpdate") {
    const value = internalForm("DaemonSetUpdateStrategy", strategy);
    errors.push(field.notSupported(path, value, ["RollingUpdate", "OnDelete"]));
    return;
  }
  const at = path.child("rollingUpdate");
  if (!rollingUpdate) {
    errors.push(field.required(at, ""));
    return;
  }
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate;
  intOrPercent(errors, maxUnavailable, at.child("maxUnavailable"));
  intOrPercent(errors, maxSurge, at.child("maxSurge"));
  atMost100Percent(errors, maxUnavailable, at.child("maxUnavailable"));
  atMost100Percent(errors, maxSurge, at.child("maxSurge"));
  const [hasUnavailable, hasSurge] = [bareNumber(maxUnavailable) !== 0, bareNumber(maxSurge) !== 0];
  if (hasUnavailable && hasSurge) {
    errors.push(field.invalid(at.child("maxSurge"), maxSurge, "may not be set when maxUnavailable is non-zero"));
  } else if (!hasUnavailable && !hasSurge) {
    errors.push(field.required(at.child("maxUnavailable"), "cannot be 0 when maxSurge is 0"));
  }
}

function validateDaemonSetStatusUpdate(set: apps.DaemonSet, old: apps.DaemonSet): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, set.metadata ?? {}, old.metadata ?? {}, METADATA);
  const status: Partial<apps.DaemonSetStatus> = set.status ?? {};
  const counts = [
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
    "observedGeneration",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
    "collisionCount",
  ] as const;
  for (const part of counts) nonNegative(errors, status[part], STATUS.child(part));
  notDecremented(errors, status.collisionCount, old.status?.collisionCount, STATUS.child("collisionCount"));
  return errors;
}

const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";

/** A field in the internal type, an annotation on the wire. */
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

const DAEMON_SET_SPEC = lazy(() => schemaOfType("apps.v1", "DaemonSetSpec"));

const defaults: Rule = inner(
  "spec",
  all(
    nil({ revisionHistoryLimit: 10 }),
    inner("updateStrategy", rolling({ maxUnavailable: 1, maxSurge: 0 })),
    template,
  ),
);

function daemonSetCells(set: apps.DaemonSet, now: EpochMs): unknown[] {
  const { spec, status } = set;
  return [
    nameOf(set),
    status?.desiredNumberScheduled ?? 0,
    status?.currentNumberScheduled ?? 0,
    status?.numberReady ?? 0,
    status?.updatedNumberScheduled ?? 0,
    status?.numberAvailable ?? 0,
    formatLabels(spec?.template?.spec?.nodeSelector),
    ageOf(set, now),
    ...containerCells(spec?.template?.spec?.containers),
    formatLabelSelector(spec?.selector),
  ];
}

const strategy = kindStrategy<apps.DaemonSet>({
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
});

/** Every writer becomes a manager of the annotation. Upstream: Convert_apps_DaemonSet_To_v1_DaemonSet */
const withAnnotation = (set: apps.DaemonSet): apps.DaemonSet =>
  set.metadata?.annotations?.[TEMPLATE_GENERATION] === undefined ? withTemplateGeneration(set, 0) : set;

export const daemonSet: Kind<apps.DaemonSet> = {
  key: "daemonsets.apps",
  annotatedField: TEMPLATE_GENERATION,
  strategy,
  defaults,
  fillAliases: (set) => withAnnotation(templateAliases(set)),
  printer: printer(
    "Name|Desired:integer|Current:integer|Ready:integer|Up-to-date:integer|Available:integer|Node Selector|Age|Containers*|Images*|Selector*",
    daemonSetCells,
  ),
};
