// One device of a slice. Upstream: pkg/apis/resource/validation/validation.go, validateDevice

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type { Counter, Device, DeviceAttribute } from "#api/generated/types/resource-v1.ts";
import { byteLength } from "#api/go-text.ts";
import { dnsLabel, dnsSubdomain, type Errors, type Path } from "#kinds/parts/checks.ts";
import { maxItems } from "#kinds/parts/declarative.ts";
import { internalForm } from "#kinds/parts/internal-form.ts";
import { signOf } from "#kinds/parts/quantities.ts";
import { isNativeResource } from "#kinds/parts/resources.ts";
import { nodeSelector } from "#kinds/pod-spec/affinity.ts";
import { deviceCapacity } from "./capacity-policy.ts";
import { attributeName, bindingConditions, deviceTaint, each } from "./device-checks.ts";

const NAMES_MAX = 32;
const VALUES_MAX = 48;
const TAINTS_MAX = 16;
const CONSUMPTIONS_MAX = 2;
const COUNTERS_MAX = 32;
const COUNTER_NAME_MAX = 63;
const ATTRIBUTE_NAME_MAX = 63 + 1 + 32;
const VALUE_BYTES_MAX = 64;

const LISTS = ["bools", "ints", "strings", "versions"] as const;

export function deviceOfSlice(
  errors: Errors,
  device: Device,
  old: Device | undefined,
  path: Path,
  selectsNodes: boolean,
): void {
  dnsLabel(errors, device.name ?? "", path.child("name"));
  const { attributes = {}, capacity = {} } = device;
  const names = Object.keys(attributes).length + Object.keys(capacity).length;
  if (names > NAMES_MAX) {
    const detail = `the total number of attributes and capacities must not exceed ${NAMES_MAX}`;
    errors.push(field.invalid(path, names, detail));
  }
  const values = Object.values(attributes).reduce((total, attribute) => total + valuesOf(attribute), 0);
  if (values > VALUES_MAX) {
    errors.push(field.invalid(path, values, `the total number of attribute values must not exceed ${VALUES_MAX}`));
  }
  entries(errors, attributes, ATTRIBUTE_NAME_MAX, path.child("attributes"), attributeName, (value, at) => {
    attributeValue(errors, value, at);
  });
  const isShared = device.allowMultipleAllocations === true;
  entries(errors, capacity, ATTRIBUTE_NAME_MAX, path.child("capacity"), attributeName, (value, at) => {
    deviceCapacity(errors, value, at, isShared);
  });
  if (old === undefined || !semanticEqual(old.taints, device.taints)) {
    each(errors, device.taints, TAINTS_MAX, path.child("taints"), (taint, at) => {
      deviceTaint(errors, taint, undefined, at);
    });
  }
  each(
    errors,
    device.consumesCounters,
    CONSUMPTIONS_MAX,
    path.child("consumesCounters"),
    ({ counterSet, counters }, at) => counterSetNamed(errors, "counterSet", counterSet, counters, at),
    ({ counterSet = "" }) => counterSet,
  );
  if (selectsNodes) nodesOfDevice(errors, device, path);
  else if (device.nodeName !== undefined || device.nodeSelector !== undefined || device.allNodes !== undefined) {
    const detail =
      "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
    errors.push(field.invalid(path, null, detail));
  }
  bindingConditions(errors, device.bindingConditions, device.bindingFailureConditions, path);
  resourceMappings(errors, device, path.child("nodeAllocatableResourceMappings"));
}

const valuesOf = (attribute: DeviceAttribute): number =>
  LISTS.reduce((total, part) => total + (attribute[part]?.length ?? 0), 0) || 1;

/** Long keys are truncated in the middle when printed. */
function entries<T>(
  errors: Errors,
  map: Readonly<Record<string, T>>,
  printedMax: number,
  path: Path,
  checkName: (errors: Errors, key: string, path: Path) => void,
  checkValue: (value: T, path: Path) => void,
): void {
  for (const [key, value] of Object.entries(map)) {
    checkName(errors, key, path);
    checkValue(value, path.key(shortened(key, printedMax)));
  }
}

function shortened(text: string, max: number): string {
  if (text.length <= max) return text;
  const rest = max - 3;
  return `${text.slice(0, Math.trunc((rest + 1) / 2))}...${text.slice(text.length - Math.trunc(rest / 2))}`;
}

/** A counter set, or a device's consumption of one. */
export function counterSetNamed(
  errors: Errors,
  part: "name" | "counterSet",
  name: string | undefined,
  counters: Readonly<Record<string, Counter>> | undefined,
  path: Path,
): void {
  if (!name) errors.push(field.required(path.child(part), ""));
  else dnsLabel(errors, name, path.child(part));
  const at = path.child("counters");
  const keys = Object.keys(counters ?? {});
  if (keys.length === 0) errors.push(field.required(at, ""));
  else if (!maxItems(errors, keys, at, COUNTERS_MAX)) {
    entries(errors, counters ?? {}, COUNTER_NAME_MAX, at, dnsLabel, () => undefined);
  }
}

const VERSION =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$/;

function attributeValue(errors: Errors, attribute: DeviceAttribute, path: Path): void {
  const text = (value: string, at: Path): void => {
    if (byteLength(value) > VALUE_BYTES_MAX) errors.push(field.tooLong(at, VALUE_BYTES_MAX));
  };
  const version = (value: string, at: Path): void => {
    if (!VERSION.test(value)) {
      errors.push(field.invalid(at, value, "must be a string compatible with semver.org spec 2.0.0"));
    }
    text(value, at);
  };
  if (attribute.string !== undefined) text(attribute.string, path.child("string"));
  if (attribute.version !== undefined) version(attribute.version, path.child("version"));
  for (const part of LISTS) {
    if (attribute[part]?.length !== 0) continue;
    errors.push(field.invalid(path.child(part), [], "must not be empty if specified"));
  }
  for (const [index, value] of (attribute.strings ?? []).entries()) text(value, path.child("strings").index(index));
  for (const [index, value] of (attribute.versions ?? []).entries()) {
    version(value, path.child("versions").index(index));
  }
  const given = Object.values(attribute).filter((value) => value !== undefined).length;
  if (given === 1) return;
  const shown = given === 0 ? "" : internalForm("DeviceAttribute", attribute);
  errors.push(field.invalid(path, shown, "exactly one value must be specified"));
}

const ONE_OF_NODES =
  "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec";

function nodesOfDevice(errors: Errors, { nodeName, nodeSelector: nodes, allNodes }: Device, path: Path): void {
  const given: string[] = [];
  if (nodeName === "") errors.push(field.invalid(path.child("nodeName"), "", "must not be empty"));
  else if (nodeName !== undefined) {
    given.push("`nodeName`");
    dnsSubdomain(errors, nodeName, path.child("nodeName"));
  }
  if (nodes !== undefined) {
    given.push("`nodeSelector`");
    nodeSelector(errors, nodes, path.child("nodeSelector"), false);
  }
  if (allNodes === true) given.push("`allNodes`");
  else if (allNodes === false) {
    errors.push(field.invalid(path.child("allNodes"), false, "must be either unset or set to true"));
  }
  if (given.length === 0) errors.push(field.required(path, ONE_OF_NODES));
  else if (given.length > 1) errors.push(field.invalid(path, `{${given.join(", ")}}`, ONE_OF_NODES));
}

function resourceMappings(errors: Errors, device: Device, path: Path): void {
  for (const [resource, mapping] of Object.entries(device.nodeAllocatableResourceMappings ?? {})) {
    const at = path.key(resource);
    if (!isNativeResource(resource)) {
      errors.push(field.invalid(at, resource, "must be a node allocatable resource name"));
    }
    const { allocationMultiplier: multiplier, capacityKey } = mapping;
    if (multiplier === undefined && capacityKey === undefined) {
      errors.push(field.invalid(at, "", "at least one of allocationMultiplier or capacityKey must be set"));
    }
    if (multiplier !== undefined && signOf(multiplier) <= 0) {
      errors.push(field.invalid(at.child("allocationMultiplier"), multiplier, "must be positive"));
    }
    if (capacityKey === "") {
      errors.push(field.invalid(at.child("capacityKey"), "", "capacityKey must not be an empty string"));
    } else if (capacityKey !== undefined && !Object.hasOwn(device.capacity ?? {}, capacityKey)) {
      errors.push(field.notFound(at.child("capacityKey"), capacityKey));
    }
  }
}
