// Accepts the names of a definition that no other definition of its group has.
// Upstream: apiextensions-apiserver/pkg/controller/status/naming_controller.go, calculateNamesAndConditions

import { aggregateText } from "#api/field-error.ts";
import type {
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionNames,
} from "#api/generated/types/apiextensions-v1.ts";
import { goQuote } from "#api/go-text.ts";
import { deepEqual } from "#api/patch/json-value.ts";
import type { CustomResourceDefinition } from "#cel/json-schema.ts";
import { conditionOf } from "#kinds/apiextensions/definition-conditions.ts";

type Condition = CustomResourceDefinitionCondition;

export interface Naming {
  readonly acceptedNames: CustomResourceDefinitionNames;
  readonly namesAccepted: Condition;
  readonly established: Condition;
}

/** `group`: all definitions of the same group. */
export function nameDefinition(crd: CustomResourceDefinition, group: readonly CustomResourceDefinition[]): Naming {
  const taken = { resources: new Set<string>(), kinds: new Set<string>() };
  for (const { status } of group) {
    const { plural = "", singular = "", shortNames = [], kind = "", listKind = "" } = status?.acceptedNames ?? {};
    for (const name of [plural, singular, ...shortNames]) taken.resources.add(name);
    for (const name of [kind, listKind]) taken.kinds.add(name);
  }
  const wanted = crd.spec.names;
  const before = crd.status?.acceptedNames ?? { kind: "", plural: "" };
  const accepted: Record<string, unknown> = { ...before };
  let conflict: { reason: string; message: string } | undefined;
  const accept = (
    name: "plural" | "singular" | "kind" | "listKind",
    used: ReadonlySet<string>,
    reason: string,
  ): void => {
    const value = wanted[name] ?? "";
    if (value === (before[name] ?? "") || !used.has(value)) accepted[name] = value;
    else conflict = { reason, message: `${goQuote(value)} is already in use` };
  };
  accept("plural", taken.resources, "PluralConflict");
  accept("singular", taken.resources, "SingularConflict");
  if (!deepEqual(wanted.shortNames ?? [], before.shortNames ?? [])) {
    const known = new Set(before.shortNames);
    const refused = (wanted.shortNames ?? []).filter((name) => !known.has(name) && taken.resources.has(name));
    if (refused.length === 0) set(accepted, "shortNames", wanted.shortNames);
    else {
      const message = aggregateText(refused.map((name) => `${goQuote(name)} is already in use`));
      conflict = { reason: "ShortNamesConflict", message };
    }
  }
  accept("kind", taken.kinds, "KindConflict");
  accept("listKind", taken.kinds, "ListKindConflict");
  set(accepted, "categories", wanted.categories);
  return {
    acceptedNames: accepted as unknown as CustomResourceDefinitionNames,
    namesAccepted:
      conflict === undefined
        ? { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" }
        : { type: "NamesAccepted", status: "False", ...conflict },
    established: establishedFor(crd, conflict === undefined),
  };
}

function establishedFor(crd: CustomResourceDefinition, isAccepted: boolean): Condition {
  const old = conditionOf(crd, "Established");
  if (old?.status === "True") return old;
  if (isAccepted) {
    const message = "the initial names have been accepted";
    return { type: "Established", status: "False", reason: "Installing", message };
  }
  const message = "not all names are accepted";
  return old ?? { type: "Established", status: "False", reason: "NotAccepted", message };
}

function set(record: Record<string, unknown>, name: string, value: readonly string[] | undefined): void {
  if (value === undefined || value.length === 0) delete record[name];
  else record[name] = value;
}
