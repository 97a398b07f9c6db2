// Flow schemas. Upstream: pkg/registry/flowcontrol/flowschema/strategy.go; pkg/apis/flowcontrol/v1/defaults.go

import type * as flow from "#api/generated/types/flowcontrol-v1.ts";
import type { EpochMs } from "#base/clock.ts";
import type { Kind } from "#kinds/kind.ts";
import { inner, zero } from "#kinds/parts/defaulting.ts";
import { countChange, firstGeneration, put } from "#kinds/parts/preparing.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { kindStrategy } from "#kinds/strategy.ts";
import { flowStatusStrategy } from "./flow-parts.ts";
import { validateFlowSchema } from "./flow-schema-validation.ts";

const strategy = kindStrategy<flow.FlowSchema>({
  resetFields: [["status"]],
  prepareForCreate: (object) => firstGeneration({ ...object, status: {} }),
  validate: validateFlowSchema,
  prepareForUpdate: (object, old) => countChange(put(object, "status", old.status), old, "spec"),
  validateUpdate: validateFlowSchema,
  subresources: { status: flowStatusStrategy() },
});

function flowSchemaCells(object: flow.FlowSchema, now: EpochMs): unknown[] {
  const { spec, status } = object;
  return [
    nameOf(object),
    spec?.priorityLevelConfiguration?.name ?? "",
    spec?.matchingPrecedence ?? 0,
    spec?.distinguisherMethod ? (spec.distinguisherMethod.type ?? "") : "<none>",
    ageOf(object, now),
    status?.conditions?.find(({ type }) => type === "Dangling")?.status ??
      (status?.conditions?.some(({ type }) => type === "Dangling") ? "" : "?"),
  ];
}

/** Sorts rows by matching precedence; the list itself is sorted by name. */
function byPrecedence(a: flow.FlowSchema, b: flow.FlowSchema): number {
  return (a.spec?.matchingPrecedence ?? 0) - (b.spec?.matchingPrecedence ?? 0);
}

export const flowSchema: Kind<flow.FlowSchema> = {
  key: "flowschemas.flowcontrol.apiserver.k8s.io",
  strategy,
  defaults: inner("spec", zero({ matchingPrecedence: 1000 })),
  printer: {
    ...printer("Name|PriorityLevel|MatchingPrecedence|DistinguisherMethod|Age|MissingPL", flowSchemaCells),
    order: byPrecedence,
  },
};
