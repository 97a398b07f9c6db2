// Drops fields of claims whose gate is off, unless the stored claim already uses them.
// Upstream: pkg/api/resourceclaimspec; pkg/registry/resource/resourceclaim/strategy.go, dropDisabledStatusFields

import type {
  DeviceConstraint,
  DeviceRequest,
  DeviceRequestAllocationResult,
  ExactDeviceRequest,
  ResourceClaim,
  ResourceClaimSpec,
  ResourceClaimStatus,
} from "#api/generated/types/resource-v1.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import { put } from "#kinds/parts/preparing.ts";
import { deviceKey } from "./allocated-devices.ts";

interface SpecChange {
  readonly request?: (request: DeviceRequest) => DeviceRequest;
  /** For exact requests and for subrequests. */
  readonly wanted?: <T extends ExactDeviceRequest>(wanted: T) => T;
  readonly constraint?: (constraint: DeviceConstraint) => DeviceConstraint;
}

const same = <T>(value: T): T => value;

function changed(spec: ResourceClaimSpec, { request = same, wanted = same, constraint = same }: SpecChange) {
  const { devices } = spec;
  if (devices === undefined) return spec;
  let out = devices;
  if (devices.requests) {
    out = {
      ...out,
      requests: devices.requests.map((given) => {
        const { exactly, firstAvailable } = given;
        return request({
          ...given,
          ...(exactly && { exactly: wanted(exactly) }),
          ...(firstAvailable && { firstAvailable: firstAvailable.map((alternative) => wanted(alternative)) }),
        });
      }),
    };
  }
  if (devices.constraints !== undefined) out = { ...out, constraints: devices.constraints.map(constraint) };
  return { ...spec, devices: out };
}

const requestsOf = ({ devices }: ResourceClaimSpec): readonly DeviceRequest[] => devices?.requests ?? [];

const wantedOf = (spec: ResourceClaimSpec): ExactDeviceRequest[] =>
  requestsOf(spec).flatMap(({ exactly, firstAvailable = [] }) => [...(exactly ? [exactly] : []), ...firstAvailable]);

const usesAdminAccess = (spec: ResourceClaimSpec): boolean =>
  requestsOf(spec).some(({ exactly }) => exactly?.adminAccess !== undefined);

const usesCapacity = (spec: ResourceClaimSpec): boolean =>
  (spec.devices?.constraints ?? []).some(({ distinctAttribute }) => distinctAttribute !== undefined) ||
  wantedOf(spec).some(({ capacity }) => capacity !== undefined);

const OF_SPEC: readonly [gate: string, isUsed: (spec: ResourceClaimSpec) => boolean, change: SpecChange][] = [
  [
    "DRAPrioritizedList",
    (spec) => requestsOf(spec).some(({ firstAvailable = [] }) => firstAvailable.length > 0),
    { request: (request) => put(request, "firstAvailable", undefined) },
  ],
  [
    "DRADeviceTaints",
    (spec) => wantedOf(spec).some(({ tolerations = [] }) => tolerations.length > 0),
    { wanted: (wanted) => put(wanted, "tolerations", undefined) },
  ],
  ["DRAAdminAccess", usesAdminAccess, { wanted: (wanted) => put(wanted, "adminAccess", undefined) }],
  [
    "DRAConsumableCapacity",
    usesCapacity,
    {
      wanted: (wanted) => put(wanted, "capacity", undefined),
      constraint: (constraint) => put(constraint, "distinctAttribute", undefined),
    },
  ],
];

export function withoutDisabled(
  spec: ResourceClaimSpec | undefined,
  old: ResourceClaimSpec | undefined,
  gates: FeatureGateReader,
): ResourceClaimSpec {
  let out = spec ?? {};
  for (const [gate, isUsed, change] of OF_SPEC) {
    if (!gates.isEnabled(gate) && (old === undefined || !isUsed(old))) out = changed(out, change);
  }
  return out;
}

const resultsOf = ({ status }: ResourceClaim): readonly DeviceRequestAllocationResult[] =>
  status?.allocation?.devices?.results ?? [];

function withoutResultFields(
  status: ResourceClaimStatus,
  ...parts: readonly (keyof DeviceRequestAllocationResult)[]
): ResourceClaimStatus {
  const { allocation } = status;
  if (allocation?.devices?.results === undefined) return status;
  const results = allocation.devices.results.map((result) =>
    parts.reduce((out, part) => put(out, part, undefined), result),
  );
  return { ...status, allocation: { ...allocation, devices: { ...allocation.devices, results } } };
}

const devicesAreUsed = ({ status }: ResourceClaim): boolean => (status?.devices ?? []).length > 0;

/** Also drops the status of devices that are not allocated any more. */
export function statusWithoutDisabled(
  claim: ResourceClaim,
  old: ResourceClaim,
  gates: FeatureGateReader,
): ResourceClaimStatus | undefined {
  let { status } = claim;
  if (status === undefined) return undefined;
  const keepsDevices = gates.isEnabled("DRAResourceClaimDeviceStatus") || devicesAreUsed(old);
  if (!keepsDevices) status = put(status, "devices", undefined);
  const before = resultsOf(old);
  const spec = old.spec ?? {};
  const isAdmin = usesAdminAccess(spec) || before.some(({ adminAccess }) => adminAccess !== undefined);
  if (!gates.isEnabled("DRAAdminAccess") && !isAdmin) status = withoutResultFields(status, "adminAccess");
  const isShared =
    usesCapacity(spec) ||
    before.some(({ shareID, consumedCapacity }) => shareID !== undefined || consumedCapacity !== undefined) ||
    (old.status?.devices ?? []).some(({ shareID }) => shareID !== undefined);
  if (!gates.isEnabled("DRAConsumableCapacity") && !isShared) {
    status = withoutResultFields(status, "shareID", "consumedCapacity");
    const devices = status.devices?.map((device) => put(device, "shareID", undefined));
    status = put(status, "devices", devices);
  }
  const isBound = before.some(
    (result) => result.bindingConditions !== undefined || result.bindingFailureConditions !== undefined,
  );
  if (!gates.isEnabled("DRADeviceBindingConditions") && !isBound) {
    status = withoutResultFields(status, "bindingConditions", "bindingFailureConditions");
  }
  return keepsDevices ? withoutDeallocated(status, before) : status;
}

function withoutDeallocated(
  status: ResourceClaimStatus,
  before: readonly DeviceRequestAllocationResult[],
): ResourceClaimStatus {
  const gone = new Set(before.map(deviceKey));
  for (const result of status.allocation?.devices?.results ?? []) gone.delete(deviceKey(result));
  const devices = (status.devices ?? []).filter((device) => !gone.has(deviceKey(device)));
  return put(status, "devices", devices.length === 0 ? undefined : devices);
}
