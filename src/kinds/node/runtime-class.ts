// Runtime classes. Upstream: pkg/registry/node/runtimeclass/strategy.go; pkg/apis/node/validation; pkg/api/node/util.go

import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import type * as node from "#api/generated/types/node-v1.ts";
import { isDns1123Label, isDns1123Subdomain } from "#api/names.ts";
import type { Kind } from "#kinds/kind.ts";
import { type Errors, IMMUTABLE, labels, type Path, requiredName } from "#kinds/parts/checks.ts";
import { internalForm } from "#kinds/parts/internal-form.ts";
import { genericObjectMeta, genericObjectMetaUpdate } from "#kinds/parts/metadata.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { containerResourceName, requirements } from "#kinds/parts/resources.ts";
import { deprecatedNodeLabel } from "#kinds/pod-spec/pod-warnings.ts";
import { tolerations } from "#kinds/pod-spec/tolerations.ts";
import { kindStrategy } from "#kinds/strategy.ts";

const METADATA = field.newPath("metadata");
const HANDLER = field.newPath("handler");
const SCHEDULING = field.newPath("scheduling");

function validate(object: node.RuntimeClass): field.FieldError[] {
  const errors: Errors = [];
  genericObjectMeta(errors, object.metadata ?? {}, false, isDns1123Subdomain, METADATA);
  requiredName(errors, object.handler, HANDLER, isDns1123Label);
  if (object.overhead) {
    const limits = object.overhead.podFixed ?? {};
    const opts = { allowIndivisibleHugePages: false };
    requirements(errors, { limits }, field.newPath("overhead"), containerResourceName, new Set(), opts);
  }
  if (object.scheduling) {
    labels(errors, object.scheduling.nodeSelector, SCHEDULING.child("nodeSelector"));
    distinctTolerations(errors, object.scheduling.tolerations ?? [], SCHEDULING.child("tolerations"));
  }
  return errors;
}

function distinctTolerations(errors: Errors, list: readonly core.Toleration[], path: Path): void {
  tolerations(errors, list, path, { allowComparisonTolerations: false });
  const seen = new Set<string>();
  list.forEach((toleration, i) => {
    const { key = "", operator = "", value = "", effect = "" } = toleration;
    const listKey = JSON.stringify([key, operator, value, effect]);
    if (seen.has(listKey)) errors.push(field.duplicate(path.index(i), internalForm("Toleration", toleration)));
    seen.add(listKey);
  });
}

function validateUpdate(object: node.RuntimeClass, old: node.RuntimeClass): field.FieldError[] {
  const errors: Errors = validate(object);
  genericObjectMetaUpdate(errors, object.metadata ?? {}, old.metadata ?? {}, METADATA);
  const handler = (object.handler as string | undefined) ?? "";
  if (handler !== ((old.handler as string | undefined) ?? "")) errors.push(field.invalid(HANDLER, handler, IMMUTABLE));
  return errors;
}

function warnings({ scheduling }: node.RuntimeClass): string[] {
  return Object.keys(scheduling?.nodeSelector ?? {}).flatMap((key) => {
    const advice = deprecatedNodeLabel(key);
    return advice === undefined ? [] : [`${SCHEDULING.child("nodeSelector")}: ${advice}`];
  });
}

const strategy = kindStrategy<node.RuntimeClass>({
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  validate,
  warningsOnCreate: warnings,
  validateUpdate,
  warningsOnUpdate: warnings,
});

export const runtimeClass: Kind<node.RuntimeClass> = {
  key: "runtimeclasses.node.k8s.io",
  strategy,
  printer: printer<node.RuntimeClass>("Name|Handler|Age", (object, now) => [
    nameOf(object),
    object.handler ?? "",
    ageOf(object, now),
  ]),
};
