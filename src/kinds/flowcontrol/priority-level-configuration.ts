// Priority levels of requests. Upstream: pkg/registry/flowcontrol/prioritylevelconfiguration/strategy.go

import type * as flow from "#api/generated/types/flowcontrol-v1.ts";
import type { EpochMs } from "#base/clock.ts";
import type { Kind } from "#kinds/kind.ts";
import { all, at, nil, type Rule, zero } from "#kinds/parts/defaulting.ts";
import { countChange, firstGeneration, put } from "#kinds/parts/preparing.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { kindStrategy } from "#kinds/strategy.ts";
import { flowStatusStrategy } from "./flow-parts.ts";
import { validatePriorityLevel } from "./priority-level-validation.ts";

const strategy = kindStrategy<flow.PriorityLevelConfiguration>({
  resetFields: [["status"]],
  prepareForCreate: (object) => firstGeneration({ ...object, status: {} }),
  validate: validatePriorityLevel,
  prepareForUpdate: (object, old) => countChange(put(object, "status", old.status), old, "spec"),
  validateUpdate: validatePriorityLevel,
  subresources: { status: flowStatusStrategy() },
});

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

export const priorityLevelConfiguration: Kind<flow.PriorityLevelConfiguration> = {
  key: "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io",
  strategy,
  defaults,
  printer: printer("Name|Type|NominalConcurrencyShares|Queues|HandSize|QueueLengthLimit|Age", priorityLevelCells),
};
