// Priority classes. The highest values and the system's names are reserved.
// Upstream: pkg/registry/scheduling/priorityclass/strategy.go, pkg/apis/scheduling/validation

import * as field from "#api/field-error.ts";
import type * as scheduling from "#api/generated/types/scheduling-v1.ts";
import type { PriorityClass } from "#api/generated/types/scheduling-v1.ts";
import { isDns1123Subdomain } from "#api/names.ts";
import { newForbidden } from "#api/status-error.ts";
import type { KindCall } from "#kinds/hooks.ts";
import type { Kind } from "#kinds/kind.ts";
import { type Errors, IMMUTABLE, requiredOneOf } from "#kinds/parts/checks.ts";
import { nil } from "#kinds/parts/defaulting.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { firstGeneration } from "#kinds/parts/preparing.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { kindStrategy } from "#kinds/strategy.ts";

const METADATA = field.newPath("metadata");
const SYSTEM_PREFIX = "system-";
const USER_VALUE_MAX = 1_000_000_000;

const SYSTEM_VALUES: Readonly<Record<string, number>> = {
  __proto__: null as never,
  "system-node-critical": 2 * USER_VALUE_MAX + 1000,
  "system-cluster-critical": 2 * USER_VALUE_MAX,
};

function validate(priorityClass: PriorityClass): field.FieldError[] {
  const errors: Errors = [];
  const { metadata = {}, value = 0, preemptionPolicy } = priorityClass;
  objectMeta(errors, metadata, false, isDns1123Subdomain, METADATA);
  if (metadata.name?.startsWith(SYSTEM_PREFIX)) {
    const why = whyNotSystem(priorityClass);
    if (why !== undefined) {
      const rule = `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only`;
      errors.push(field.forbidden(METADATA.child("name"), `${rule}. error: ${why}`));
    }
  } else if (value > USER_VALUE_MAX) {
    const rule = `maximum allowed value of a user defined priority is ${USER_VALUE_MAX}`;
    errors.push(field.forbidden(field.newPath("value"), rule));
  }
  if (preemptionPolicy !== undefined) {
    requiredOneOf(errors, preemptionPolicy, field.newPath("preemptionPolicy"), ["PreemptLowerPriority", "Never"]);
  }
  return errors;
}

function whyNotSystem({ metadata, value = 0, globalDefault = false }: PriorityClass): string | undefined {
  const name = metadata?.name ?? "";
  const expected = SYSTEM_VALUES[name];
  if (expected === undefined) return `${name} is not a known system priority class`;
  if (value !== expected) return `value of ${name} PriorityClass must be ${expected}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

function validateUpdate(priorityClass: PriorityClass, old: PriorityClass): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, priorityClass.metadata ?? {}, old.metadata ?? {}, METADATA);
  if ((priorityClass.value ?? 0) !== (old.value ?? 0)) {
    errors.push(field.forbidden(field.newPath("value"), "may not be changed in an update."));
  }
  if (priorityClass.preemptionPolicy !== old.preemptionPolicy) {
    const given = priorityClass.preemptionPolicy ?? null;
    errors.push(field.invalid(field.newPath("preemptionPolicy"), given, IMMUTABLE));
  }
  return errors;
}

/** Updates do not change the generation. */
const strategy = kindStrategy<PriorityClass>({
  prepareForCreate: firstGeneration,
  validate,
  validateUpdate,
});

/** Collection deletes skip this. Upstream: pkg/registry/scheduling/priorityclass/storage/storage.go, Delete */
function keepSystemClasses({ verb, name, groupResource }: KindCall): void {
  if (verb === "deletecollection" || !Object.hasOwn(SYSTEM_VALUES, name)) return;
  throw newForbidden(groupResource, name, "this is a system priority class and cannot be deleted");
}

export const priorityClass: Kind<scheduling.PriorityClass> = {
  key: "priorityclasses.scheduling.k8s.io",
  strategy,
  defaults: nil({ preemptionPolicy: "PreemptLowerPriority" }),
  printer: printer<scheduling.PriorityClass>(
    "Name|Value:integer|Global-Default:boolean|Age|PreemptionPolicy",
    (priority, now) => [
      nameOf(priority),
      priority.value ?? 0,
      priority.globalDefault ?? false,
      ageOf(priority, now),
      priority.preemptionPolicy ?? "",
    ],
  ),
  beforeDelete: keepSystemClasses,
};
