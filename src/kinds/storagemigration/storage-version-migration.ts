// Storage version migrations. Upstream: pkg/registry/storagemigration/storagemigration/strategy.go;
// pkg/apis/storagemigration/validation

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as migration from "#api/generated/types/storagemigration-v1beta1.ts";
import type { Condition } from "#api/meta.ts";
import { isDns1035Label, isDns1123Subdomain } from "#api/names.ts";
import { isComparableResourceVersion } from "#api/resource-version.ts";
import type { Kind } from "#kinds/kind.ts";
import { type Errors, IMMUTABLE } from "#kinds/parts/checks.ts";
import { conditions } from "#kinds/parts/conditions.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { put, resetMetaForStatus } from "#kinds/parts/preparing.ts";
import { nameOf, printer } from "#kinds/parts/printer.ts";
import { kindStrategy } from "#kinds/strategy.ts";

type Migration = migration.StorageVersionMigration;

const METADATA = field.newPath("metadata");
const SPEC = field.newPath("spec");
const STATUS = field.newPath("status");

function validateMigration({ metadata = {}, spec }: Migration): Errors {
  const errors: Errors = [];
  objectMeta(errors, metadata, false, isDns1123Subdomain, METADATA);
  const { group = "", resource = "" } = spec?.resource ?? {};
  const path = SPEC.child("resource");
  if (resource === "") errors.push(field.required(path.child("resource"), "resource is required to be set"));
  else segment(errors, resource, path.child("resource"), isDns1035Label(resource));
  if (group !== "") segment(errors, group, path.child("group"), isDns1123Subdomain(group));
  return errors;
}

function segment(errors: Errors, value: string, path: field.FieldPath, messages: readonly string[]): void {
  if (messages.length > 0) errors.push(field.invalid(path, value, messages.join(",")));
}

function validateMigrationUpdate(object: Migration, old: Migration): Errors {
  const errors = validateMigration(object);
  objectMetaUpdate(errors, object.metadata ?? {}, old.metadata ?? {}, METADATA);
  if (!semanticEqual(object.spec, old.spec)) {
    const { group = "", resource = "" } = object.spec?.resource ?? {};
    errors.push(field.invalid(SPEC, { Resource: { group, resource } }, IMMUTABLE));
  }
  return errors;
}

function validateStatusUpdate(object: Migration, old: Migration): Errors {
  const errors: Errors = [];
  objectMetaUpdate(errors, object.metadata ?? {}, old.metadata ?? {}, METADATA);
  const { resourceVersion = "", conditions: list = [] } = object.status ?? {};
  const versionPath = STATUS.child("resourceVersion");
  if (resourceVersion !== "" && !isComparableResourceVersion(resourceVersion)) {
    const message = `resource version is not well formed: ${resourceVersion}`;
    errors.push(field.invalid(versionPath, resourceVersion, message));
  }
  const path = STATUS.child("conditions");
  conditions(errors, list, path);
  const before = old.status?.resourceVersion ?? "";
  if (before !== "" && before !== resourceVersion) errors.push(field.invalid(versionPath, resourceVersion, IMMUTABLE));
  const refuse = (message: string): void => {
    errors.push(field.invalid(path, object.status?.conditions?.map(printedCondition) ?? null, message));
  };
  const [hasSucceeded, hasFailed] = [isTrue(object, "Succeeded"), isTrue(object, "Failed")];
  if (hasSucceeded && hasFailed) refuse("Both success and failed conditions cannot be true at the same time");
  if (isTrue(old, "Succeeded") && !hasSucceeded) refuse("Success condition cannot be set to false once it is true");
  if (isTrue(old, "Failed") && !hasFailed) refuse("Failed condition cannot be set to false once it is true");
  return errors;
}

/** In the order of upstream's fields. */
function printedCondition({
  type,
  status,
  observedGeneration,
  lastTransitionTime,
  reason,
  message,
}: Condition): object {
  return {
    type: type ?? "",
    status: status ?? "",
    ...(observedGeneration ? { observedGeneration } : {}),
    lastTransitionTime: lastTransitionTime ?? null,
    reason: reason ?? "",
    message: message ?? "",
  };
}

function isTrue({ status }: Migration, type: string): boolean {
  return status?.conditions?.find((condition) => condition.type === type)?.status === "True";
}

const strategy = kindStrategy<Migration>({
  allowUnconditionalUpdate: false,
  resetFields: [["status"]],
  prepareForCreate: (object) => put(object, "status", {}),
  validate: validateMigration,
  prepareForUpdate: (object, old) => put(object, "status", old.status),
  validateUpdate: validateMigrationUpdate,
  subresources: {
    status: {
      prepareForUpdate: (object, old) =>
        put({ ...object, metadata: resetMetaForStatus(object.metadata, old.metadata) }, "spec", old.spec),
      validateUpdate: validateStatusUpdate,
      resetFields: [["metadata"], ["spec"]],
    },
  },
});

export const storageVersionMigration: Kind<Migration> = {
  key: "storageversionmigrations.storagemigration.k8s.io",
  strategy,
  printer: printer<Migration>("Name!|Resource|Status", (object) => {
    const { resource = "", group } = object.spec?.resource ?? {};
    const done = object.status?.conditions?.findLast(
      ({ type, status }) => status === "True" && ["Running", "Failed", "Succeeded"].includes(type),
    );
    return [nameOf(object), group ? `${resource}.${group}` : resource, done?.type ?? "Unknown"];
  }),
};
