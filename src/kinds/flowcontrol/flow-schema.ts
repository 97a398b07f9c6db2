// Flow schemas. Upstream: pkg/registry/flowcontrol/flowschema/strategy.go; pkg/apis/flowcontrol/v1/defaults.go

import type * as flow from "#api/generated/types/flowcontrol-v1.ts";
import type { EpochMs } from "#base/clock.ts";
import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { inner, zero } from "#kinds/parts/defaulting.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { schemaOnly } from "#kinds/strategy.ts";

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

export const flowSchema: SchemaOnlyKind<flow.FlowSchema> = {
  key: "flowschemas.flowcontrol.apiserver.k8s.io",
  strategy: schemaOnly({ countsGeneration: true }),
  defaults: inner("spec", zero({ matchingPrecedence: 1000 })),
  printer: printer("Name|PriorityLevel|MatchingPrecedence|DistinguisherMethod|Age|MissingPL", flowSchemaCells),
};
