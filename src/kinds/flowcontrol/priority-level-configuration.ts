// Priority levels of requests. Upstream: pkg/registry/flowcontrol/prioritylevelconfiguration/strategy.go

import type * as flow from "#api/generated/types/flowcontrol-v1.ts";
import type { EpochMs } from "#base/clock.ts";
import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { all, at, nil, type Rule, zero } from "#kinds/parts/defaulting.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { schemaOnly } from "#kinds/strategy.ts";

const queuing: Rule = zero({ handSize: 8, queues: 64, queueLengthLimit: 50 });

const defaults: Rule = at(
  "spec",
  all(
    at(
      "limited",
      all(nil({ nominalConcurrencyShares: 30, lendablePercent: 0 }), at("limitResponse", at("queuing", queuing))),
    ),
    at("exempt", nil({ nominalConcurrencyShares: 0, lendablePercent: 0 })),
  ),
);

function priorityLevelCells(object: flow.PriorityLevelConfiguration, now: EpochMs): unknown[] {
  const { type = "", limited } = object.spec ?? {};
  const queuing = limited?.limitResponse?.queuing;
  const of = (value: number | undefined): unknown => (queuing ? (value ?? 0) : "<none>");
  return [
    nameOf(object),
    type,
    limited ? (limited.nominalConcurrencyShares ?? 0) : "<none>",
    of(queuing?.queues),
    of(queuing?.handSize),
    of(queuing?.queueLengthLimit),
    ageOf(object, now),
  ];
}

export const priorityLevelConfiguration: SchemaOnlyKind<flow.PriorityLevelConfiguration> = {
  key: "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io",
  strategy: schemaOnly({ countsGeneration: true }),
  defaults,
  printer: printer("Name|Type|NominalConcurrencyShares|Queues|HandSize|QueueLengthLimit|Age", priorityLevelCells),
};
