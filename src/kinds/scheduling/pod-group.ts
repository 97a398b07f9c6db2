// Pod groups. Upstream: pkg/registry/scheduling/podgroup/strategy.go; pkg/printers/internalversion/printers.go

import type * as alpha from "#api/generated/types/scheduling-v1alpha2.ts";
import type { EpochMs } from "#base/clock.ts";
import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { inner, nil } from "#kinds/parts/defaulting.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { schemaOnly } from "#kinds/strategy.ts";

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

export const podGroup: SchemaOnlyKind<alpha.PodGroup> = {
  key: "podgroups.scheduling.k8s.io",
  strategy: schemaOnly(),
  defaults: inner("spec", nil({ disruptionMode: "Pod" })),
  printer: printer("Name|Policy|Workload|Status|Age", podGroupCells),
};
