// Syncs one ServiceCIDR: finalizer and Ready condition, or its deletion.
// Upstream: pkg/controller/servicecidrs/servicecidrs_controller.go, sync.

import { ServiceCIDRs } from "#api/generated/resources/networking-v1.ts";
import type { Condition } from "#api/meta.ts";
import { isNotFound } from "#api/status-error.ts";
import { formatTime, timeOrUndefined } from "#api/time.ts";
import type { Clock } from "#base/clock.ts";
import type { ResourceClient } from "#client/client.ts";
import type { SharedInformer } from "#informers/informer.ts";
import { type EventRecorder, referenceTo } from "#kit/events/recorder.ts";
import { tolerate } from "#kit/tolerate.ts";
import { done, requeueAfter, type SyncResult } from "#kit/worker-loop.ts";
import { canBeDeleted, type StoredIpAddress, type StoredServiceCidr } from "./containment.ts";

const FINALIZER = "networking.k8s.io/service-cidr-finalizer";
/** By then every API server knows that it must not allocate addresses from the ServiceCIDR. */
const GRACE_MS = 10_000;
const FIELD_MANAGER = "service-cidr-controller";

export interface Deps {
  readonly clock: Clock;
  readonly cidrs: SharedInformer<StoredServiceCidr>;
  readonly addresses: SharedInformer<StoredIpAddress>;
  readonly cidrsApi: ResourceClient<StoredServiceCidr>;
  readonly recorder: EventRecorder;
}

const READY = { type: "Ready", status: "True", reason: "", message: "Kubernetes Service CIDR is ready" } as const;
const BLOCKED = {
  type: "Ready",
  status: "False",
  reason: "Terminating",
  message: "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR",
} as const;

export async function syncServiceCidr(name: string, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const cidr = deps.cidrs.lister.get(name);
  if (cidr === undefined) return done;
  if (cidr.metadata.deletionTimestamp !== undefined) return release(cidr, deps, signal);
  if (!hasFinalizer(cidr)) await patch(cidr, { finalizers: [FINALIZER] }, deps, signal);
  try {
    await setCondition(cidr, READY, deps, signal);
  } catch (error) {
    if (!signal.aborted) {
      const message = "The ServiceCIDR Status can not be set to Ready=True";
      deps.recorder.event(referenceTo(cidr, ServiceCIDRs), "Warning", "KubernetesServiceCIDRError", message);
    }
    throw error;
  }
  return done;
}

/** If it is blocked, events about addresses and other ServiceCIDRs queue it again. */
async function release(cidr: StoredServiceCidr, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  if (!canBeDeleted(cidr, deps.cidrs.lister.list(), deps.addresses.lister.list())) {
    await setCondition(cidr, BLOCKED, deps, signal);
    return done;
  }
  const deletedAtMs = timeOrUndefined(cidr.metadata.deletionTimestamp) ?? 0;
  const leftMs = deletedAtMs + GRACE_MS - deps.clock.now();
  if (leftMs > 0) return requeueAfter(leftMs, "the deletion must reach all API servers");
  if (hasFinalizer(cidr)) {
    await patch(cidr, { "$deleteFromPrimitiveList/finalizers": [FINALIZER] }, deps, signal);
  }
  return done;
}

function hasFinalizer({ metadata }: StoredServiceCidr): boolean {
  return metadata.finalizers?.includes(FINALIZER) ?? false;
}

async function patch(cidr: StoredServiceCidr, metadata: object, deps: Deps, signal: AbortSignal): Promise<void> {
  const { name } = cidr.metadata;
  await tolerate(deps.cidrsApi.patch({ name, type: "strategic", patch: { metadata } }, signal), isNotFound);
}

async function setCondition(
  { metadata: { name }, status }: StoredServiceCidr,
  wanted: Omit<Condition, "lastTransitionTime">,
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  const current = status?.conditions?.find(({ type }) => type === wanted.type);
  const isSame =
    current?.status === wanted.status &&
    (current.reason ?? "") === wanted.reason &&
    (current.message ?? "") === wanted.message;
  if (isSame) return;
  const conditions = [{ ...wanted, lastTransitionTime: formatTime(deps.clock.now()) }];
  await deps.cidrsApi.apply(
    {
      name,
      object: { metadata: { name }, status: { conditions } },
      fieldManager: FIELD_MANAGER,
      force: true,
      subresource: "status",
    },
    signal,
  );
}
