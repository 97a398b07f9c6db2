// Pod groups. Upstream: pkg/registry/scheduling/podgroup/strategy.go; pkg/printers/internalversion/printers.go

import * as field from "#api/field-error.ts";
import type * as alpha from "#api/generated/types/scheduling-v1alpha2.ts";
import { isDns1123Subdomain } from "#api/names.ts";
import type { EpochMs } from "#base/clock.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import type { Kind } from "#kinds/kind.ts";
import type { Errors } from "#kinds/parts/checks.ts";
import { conditions } from "#kinds/parts/conditions.ts";
import { immutable } from "#kinds/parts/declarative.ts";
import { inner, nil } from "#kinds/parts/defaulting.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { put, resetMetaForStatus } from "#kinds/parts/preparing.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { kindStrategy } from "#kinds/strategy.ts";
import { claimStatuses, groupPart, templateReference, withoutDisabled } from "./pod-group-parts.ts";

function podGroupCells(group: alpha.PodGroup, now: EpochMs): unknown[] {
  const condition = (type: string) => group.status?.conditions?.findLast((candidate) => candidate.type === type);
  const scheduled = condition("PodGroupScheduled");
  const word = scheduled === undefined ? "Pending" : scheduled.status === "True" ? "Scheduled" : "Unschedulable";
  return [
    nameOf(group),
    group.spec?.schedulingPolicy?.gang ? "Gang" : "Basic",
    group.spec?.podGroupTemplateRef?.workload?.workloadName ?? "<none>",
    condition("DisruptionTarget")?.reason ?? word,
    ageOf(group, now),
  ];
}

const METADATA = field.newPath("metadata");
const SPEC = field.newPath("spec");
const STATUS = field.newPath("status");

function specChecks(errors: Errors, group: alpha.PodGroup, old: alpha.PodGroup | undefined, gates: FeatureGateReader) {
  const isUpdate = old !== undefined;
  const path = SPEC.child("podGroupTemplateRef");
  const reference = group.spec?.podGroupTemplateRef ?? undefined;
  const before = old?.spec?.podGroupTemplateRef ?? undefined;
  if (!immutable(errors, { value: reference, old: before, isUpdate }, path) && !isUpdate && reference !== undefined) {
    templateReference(errors, reference, path);
  }
  const value = group.spec ?? { schedulingPolicy: {} };
  groupPart(errors, { value, old: old?.spec, isUpdate }, SPEC, gates, true);
}

function validate(group: alpha.PodGroup, gates: FeatureGateReader): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, group.metadata ?? {}, true, isDns1123Subdomain, METADATA);
  specChecks(errors, group, undefined, gates);
  return errors;
}

function validateUpdate(group: alpha.PodGroup, old: alpha.PodGroup, gates: FeatureGateReader): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, group.metadata ?? {}, old.metadata ?? {}, METADATA);
  specChecks(errors, group, old, gates);
  return errors;
}

function validateStatus(group: alpha.PodGroup, old: alpha.PodGroup): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, group.metadata ?? {}, old.metadata ?? {}, METADATA);
  conditions(errors, group.status?.conditions ?? [], STATUS.child("conditions"));
  const statuses = group.status?.resourceClaimStatuses ?? [];
  const path = STATUS.child("resourceClaimStatuses");
  for (const [index, { name }] of statuses.entries()) {
    if (group.spec?.resourceClaims?.some((claim) => claim.name === name)) continue;
    const rule = "must match the name of an entry in `spec.resourceClaims`";
    errors.push(field.invalid(path.index(index).child("name"), name ?? "", rule));
  }
  claimStatuses(errors, { value: statuses, old: old.status?.resourceClaimStatuses, isUpdate: true }, path);
  return errors;
}

const withEnabledFields = (group: alpha.PodGroup, old: alpha.PodGroup | undefined, gates: FeatureGateReader) =>
  group.spec === undefined ? group : { ...group, spec: withoutDisabled(group.spec, old?.spec, gates) };

const DEFAULT_DISRUPTION = { disruptionMode: "Pod" };

/** Upstream stores these specs without the mode, which a disabled gate dropped, and defaults it at every read. */
const specsWithoutMode = new WeakSet<object>();

function withDisruptionMode(group: alpha.PodGroup): alpha.PodGroup {
  const spec = { ...DEFAULT_DISRUPTION, ...group.spec } as alpha.PodGroupSpec;
  if (group.spec?.disruptionMode === undefined) specsWithoutMode.add(spec);
  return { ...group, spec };
}

const strategy = kindStrategy<alpha.PodGroup>({
  prepareForCreate: (group, { gates }) => withEnabledFields({ ...group, status: {} }, undefined, gates),
  validate: (group, { gates }) => validate(group, gates),
  prepareForUpdate: (group, old, { gates }) => withEnabledFields(put(group, "status", old.status), old, gates),
  validateUpdate: (group, old, { gates }) => validateUpdate(group, old, gates),
  canonicalize: withDisruptionMode,
  isStoredInPart: ({ spec }) => spec !== undefined && specsWithoutMode.has(spec),
  subresources: {
    status: {
      prepareForUpdate(group, old, { gates }) {
        const metadata = resetMetaForStatus(group.metadata, old.metadata);
        const written = { ...group, metadata, spec: old.spec };
        const isUsed = gates.isEnabled("DRAWorkloadResourceClaims") || (old.spec?.resourceClaims ?? []).length > 0;
        if (isUsed || written.status === undefined) return written;
        return { ...written, status: put(written.status, "resourceClaimStatuses", undefined) };
      },
      validateUpdate: validateStatus,
      resetFields: [["metadata"], ["spec"]],
    },
  },
});

export const podGroup: Kind<alpha.PodGroup> = {
  key: "podgroups.scheduling.k8s.io",
  strategy,
  defaults: inner("spec", nil(DEFAULT_DISRUPTION)),
  printer: printer("Name|Policy|Workload|Status|Age", podGroupCells),
  unprintedSubresources: ["status"],
};
