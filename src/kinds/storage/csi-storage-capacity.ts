// CSI storage capacities. Upstream: pkg/registry/storage/csistoragecapacity/strategy.go, which has a printer and does
// not use it; pkg/apis/storage/validation.

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as storage from "#api/generated/types/storage-v1.ts";
import { isDns1123Subdomain } from "#api/names.ts";
import type { Kind } from "#kinds/kind.ts";
import {
  type Errors,
  hasLabelSelectorErrors,
  IMMUTABLE,
  labelSelector,
  NOT_NEGATIVE,
  name,
} from "#kinds/parts/checks.ts";
import { internalForm } from "#kinds/parts/internal-form.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { signOf } from "#kinds/parts/quantities.ts";
import { deprecatedNodeLabel } from "#kinds/pod-spec/pod-warnings.ts";
import { kindStrategy } from "#kinds/strategy.ts";

const METADATA = field.newPath("metadata");
const TOPOLOGY = field.newPath("nodeTopology");
const CLASS = field.newPath("storageClassName");

function validate(object: storage.CSIStorageCapacity, allowInvalidValues = false): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, object.metadata ?? {}, true, isDns1123Subdomain, METADATA);
  labelSelector(errors, object.nodeTopology, TOPOLOGY, allowInvalidValues);
  name(errors, object.storageClassName ?? "", CLASS, isDns1123Subdomain);
  if (object.capacity !== undefined && signOf(object.capacity) < 0) {
    errors.push(field.invalid(field.newPath("capacity"), object.capacity, NOT_NEGATIVE));
  }
  return errors;
}

function validateUpdate(object: storage.CSIStorageCapacity, old: storage.CSIStorageCapacity): field.FieldError[] {
  const errors = validate(object, hasLabelSelectorErrors(old.nodeTopology));
  objectMetaUpdate(errors, object.metadata ?? {}, old.metadata ?? {}, METADATA);
  if (!semanticEqual(object.nodeTopology, old.nodeTopology)) {
    const { nodeTopology } = object;
    const printed = nodeTopology === undefined ? null : internalForm("LabelSelector", nodeTopology);
    errors.push(field.invalid(TOPOLOGY, printed, IMMUTABLE));
  }
  const { storageClassName = "" } = object;
  if (storageClassName !== (old.storageClassName ?? "")) errors.push(field.invalid(CLASS, storageClassName, IMMUTABLE));
  return errors;
}

function warnings({ nodeTopology }: storage.CSIStorageCapacity): string[] {
  const found: string[] = [];
  nodeTopology?.matchExpressions?.forEach(({ key = "" }, i) => {
    const advice = deprecatedNodeLabel(key);
    const path = TOPOLOGY.child("matchExpressions").index(i).child("key");
    if (advice !== undefined) found.push(`${path}: ${key} is ${advice}`);
  });
  for (const key of Object.keys(nodeTopology?.matchLabels ?? {})) {
    const advice = deprecatedNodeLabel(key);
    if (advice !== undefined) found.push(`${TOPOLOGY.child("matchLabels", key)}: ${advice}`);
  }
  return found;
}

const strategy = kindStrategy<storage.CSIStorageCapacity>({
  allowUnconditionalUpdate: false,
  validate: (object) => validate(object),
  warningsOnCreate: warnings,
  validateUpdate,
  warningsOnUpdate: warnings,
});

export const csiStorageCapacity: Kind<storage.CSIStorageCapacity> = {
  key: "csistoragecapacities.storage.k8s.io",
  strategy,
};
