// Drops fields of slices whose gate is off, unless the stored slice already uses them.
// Upstream: pkg/registry/resource/resourceslice/strategy.go, dropDisabledFields

import type { Device, DeviceAttribute, ResourceSliceSpec } from "#api/generated/types/resource-v1.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import { put } from "#kinds/parts/preparing.ts";

interface GatedFields {
  /** All of these gates must be on. */
  readonly gates: readonly string[];
  isUsed(spec: ResourceSliceSpec): boolean;
  drop(spec: ResourceSliceSpec): ResourceSliceSpec;
}

const without = <T extends object>(object: T, ...parts: readonly (keyof T)[]): T =>
  parts.reduce((out, part) => put(out, part, undefined), object);

const someDevice = ({ devices = [] }: ResourceSliceSpec, test: (device: Device) => boolean): boolean =>
  devices.some(test);

function eachDevice(spec: ResourceSliceSpec, change: (device: Device) => Device): ResourceSliceSpec {
  return spec.devices === undefined ? spec : { ...spec, devices: spec.devices.map(change) };
}

const filled = (value: object | undefined): boolean => Object.keys(value ?? {}).length > 0;

function mapValues<T>(map: Readonly<Record<string, T>>, change: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));
}

const LISTS = ["bools", "ints", "strings", "versions"] as const satisfies readonly (keyof DeviceAttribute)[];
const NODES = ["consumesCounters", "nodeName", "nodeSelector", "allNodes"] as const;
const BINDING = ["bindingConditions", "bindingFailureConditions", "bindsToNode"] as const;

const GATED: readonly GatedFields[] = [
  {
    gates: ["DRADeviceTaints"],
    isUsed: (spec) => someDevice(spec, ({ taints }) => filled(taints)),
    drop: (spec) => eachDevice(spec, (device) => without(device, "taints")),
  },
  {
    gates: ["DRAPartitionableDevices"],
    isUsed: (spec) =>
      filled(spec.sharedCounters) ||
      spec.perDeviceNodeSelection !== undefined ||
      someDevice(
        spec,
        ({ consumesCounters, nodeName, nodeSelector, allNodes }) =>
          filled(consumesCounters) || nodeName !== undefined || nodeSelector !== undefined || allNodes !== undefined,
      ),
    drop: (spec) =>
      eachDevice(without(spec, "sharedCounters", "perDeviceNodeSelection"), (device) => without(device, ...NODES)),
  },
  {
    gates: ["DRADeviceBindingConditions", "DRAResourceClaimDeviceStatus"],
    isUsed: (spec) =>
      someDevice(
        spec,
        ({ bindingConditions, bindingFailureConditions, bindsToNode }) =>
          filled(bindingConditions) || filled(bindingFailureConditions) || bindsToNode !== undefined,
      ),
    drop: (spec) => eachDevice(spec, (device) => without(device, ...BINDING)),
  },
  {
    gates: ["DRAConsumableCapacity"],
    isUsed: (spec) =>
      someDevice(
        spec,
        ({ allowMultipleAllocations, capacity = {} }) =>
          allowMultipleAllocations !== undefined ||
          Object.values(capacity).some(({ requestPolicy }) => requestPolicy !== undefined),
      ),
    drop: (spec) =>
      eachDevice(spec, (device) => {
        const { capacity } = device;
        const out = without(device, "allowMultipleAllocations");
        return capacity ? { ...out, capacity: mapValues(capacity, (each) => without(each, "requestPolicy")) } : out;
      }),
  },
  {
    gates: ["DRANodeAllocatableResources"],
    isUsed: (spec) => someDevice(spec, ({ nodeAllocatableResourceMappings: mappings }) => filled(mappings)),
    drop: (spec) => eachDevice(spec, (device) => without(device, "nodeAllocatableResourceMappings")),
  },
  {
    gates: ["DRAListTypeAttributes"],
    isUsed: (spec) =>
      someDevice(spec, ({ attributes = {} }) =>
        Object.values(attributes).some((attribute) => LISTS.some((list) => attribute[list] !== undefined)),
      ),
    drop: (spec) =>
      eachDevice(spec, (device) => {
        const { attributes } = device;
        return attributes
          ? { ...device, attributes: mapValues(attributes, (each) => without(each, ...LISTS)) }
          : device;
      }),
  },
];

export function withoutDisabled(
  spec: ResourceSliceSpec,
  old: ResourceSliceSpec | undefined,
  gates: FeatureGateReader,
): ResourceSliceSpec {
  let out = spec;
  for (const gated of GATED) {
    if (gated.gates.every((gate) => gates.isEnabled(gate)) || (old !== undefined && gated.isUsed(old))) continue;
    out = gated.drop(out);
  }
  return out;
}
