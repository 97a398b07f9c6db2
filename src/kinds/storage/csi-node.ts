// CSI nodes. Upstream: pkg/registry/storage/csinode/strategy.go; pkg/apis/storage/validation

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as storage from "#api/generated/types/storage-v1.ts";
import { byteLength } from "#api/go-text.ts";
import { isDns1123Subdomain } from "#api/names.ts";
import type { Kind } from "#kinds/kind.ts";
import { type Errors, IMMUTABLE, nonNegative, type Path, qualifiedName } from "#kinds/parts/checks.ts";
import { internalForm } from "#kinds/parts/internal-form.ts";
import { objectMeta } from "#kinds/parts/metadata.ts";
import { put } from "#kinds/parts/preparing.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { csiDriverName } from "#kinds/pod-spec/volume-sources.ts";
import { kindStrategy, type StrategyContext } from "#kinds/strategy.ts";

const NODE_ID_MAX = 256;
const DRIVERS = field.newPath("spec", "drivers");

function validate(node: storage.CSINode): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, node.metadata ?? {}, false, isDns1123Subdomain, field.newPath("metadata"));
  const names = new Set<string>();
  node.spec?.drivers?.forEach((driver, i) => {
    validateDriver(errors, driver, names, DRIVERS.index(i));
  });
  return errors;
}

function validateDriver(errors: Errors, driver: storage.CSINodeDriver, names: Set<string>, path: Path): void {
  const { name = "", nodeID = "", allocatable, topologyKeys } = driver;
  csiDriverName(errors, name, path.child("name"));
  if (nodeID === "") errors.push(field.required(path.child("nodeID"), ""));
  if (byteLength(nodeID) > NODE_ID_MAX) {
    errors.push(field.invalid(path.child("nodeID"), nodeID, `must be ${NODE_ID_MAX} characters or less`));
  }
  nonNegative(errors, allocatable?.count, path.child("allocatable", "count"));
  if (names.has(name)) errors.push(field.duplicate(path.child("name"), name));
  names.add(name);
  const keys = new Set<string>();
  for (const key of topologyKeys ?? []) {
    if (key === "") errors.push(field.required(path, ""));
    if (keys.has(key)) errors.push(field.duplicate(path, key));
    keys.add(key);
    qualifiedName(errors, key, path);
  }
}

/** Drivers may be added and removed, but a driver's entry is immutable except for its volume limit. */
function validateUpdate(node: storage.CSINode, old: storage.CSINode, { gates }: StrategyContext): field.FieldError[] {
  const errors = validate(node);
  const isLimitMutable = gates.isEnabled("MutableCSINodeAllocatableCount");
  const compared = (driver: storage.CSINodeDriver): storage.CSINodeDriver =>
    isLimitMutable ? put(driver, "allocatable", undefined) : driver;
  for (const before of old.spec?.drivers ?? []) {
    for (const driver of node.spec?.drivers ?? []) {
      if (before.name !== driver.name || semanticEqual(compared(driver), compared(before))) continue;
      errors.push(field.invalid(DRIVERS, internalForm("CSINodeDriver", compared(driver)), IMMUTABLE));
    }
  }
  return errors;
}

const strategy = kindStrategy<storage.CSINode>({ allowUnconditionalUpdate: false, validate, validateUpdate });

export const csiNode: Kind<storage.CSINode> = {
  key: "csinodes.storage.k8s.io",
  strategy,
  printer: printer<storage.CSINode>("Name|Drivers:integer|Age", (object, now) => [
    nameOf(object),
    (object.spec?.drivers ?? []).length,
    ageOf(object, now),
  ]),
  returnsDeletedObject: true,
};
