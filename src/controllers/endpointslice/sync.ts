// Syncs one Service: compares its slices with its pods for each address type, and writes the difference.
// Upstream: pkg/controller/endpointslice/endpointslice_controller.go, syncService; k8s.io/endpointslice/reconciler.go,
// Reconcile.

import { Services } from "#api/generated/resources/core-v1.ts";
import { selectorFromSet } from "#api/label-selector.ts";
import { type ObjectKey, ref } from "#api/object.ts";
import type { EpochMs } from "#base/clock.ts";
import { errorMessage } from "#base/errors.ts";
import { isManaged, type Pod, type Service } from "#families/service-pods/model.ts";
import { type AddressType, type EndpointSlice, slicesOf } from "#families/slices/model.ts";
import { recycled, writeSlices } from "#families/slices/writes.ts";
import { aggregate } from "#kit/aggregate-error.ts";
import { referenceTo } from "#kit/events/recorder.ts";
import { compareText } from "#kit/order.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";
import { hintSlices, usedDistribution, wantsZoneHints } from "./hinting.ts";
import { CONTROLLER_NAME, type Deps } from "./model.ts";
import { planSlices } from "./planning.ts";
import { isOwnedBy, withTriggerTime } from "./slice-form.ts";
import { addressTypesOf } from "./wanted-endpoints.ts";

export async function syncService(key: ObjectKey, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const service = deps.services.lister.get(key);
  if (service === undefined) {
    // The garbage collector deletes the slices.
    deps.triggerTimes.forget(key);
    deps.metrics.efficiency.remove(key);
    deps.metrics.distributions.set(key, undefined);
    deps.tracker.forget(key);
    return done;
  }
  if (!isManaged(service)) return done;
  const pods = deps.pods.lister
    .list(selectorFromSet(service.spec?.selector), service.metadata.namespace)
    .toSorted((a, b) => compareText(a.metadata.name, b.metadata.name));
  const living = slicesOf(deps.slices, key, CONTROLLER_NAME).filter(
    ({ metadata }) => metadata.deletionTimestamp === undefined,
  );
  deps.tracker.refuseStale(key, living);
  const triggerTime = deps.triggerTimes.next(key, service, pods);
  try {
    await syncSlices({ key, service, pods, living, triggerTime }, deps, signal);
  } catch (error) {
    if (!signal.aborted) {
      const message = `Error updating Endpoint Slices for Service ${key}: ${errorMessage(error)}`;
      deps.recorder.event(referenceTo(service, Services), "Warning", "FailedToUpdateEndpointSlices", message);
    }
    throw error;
  }
  return done;
}

interface ServiceState {
  readonly key: ObjectKey;
  readonly service: Service;
  readonly pods: readonly Pod[];
  /** The slices of the Service that are not being deleted. */
  readonly living: readonly EndpointSlice[];
  readonly triggerTime: EpochMs | undefined;
}

/** If one address type fails, the other is still written. */
async function syncSlices(state: ServiceState, deps: Deps, signal: AbortSignal): Promise<void> {
  const types = addressTypesOf(state.service);
  const errors: unknown[] = [];
  const isUsed = ({ addressType }: EndpointSlice): boolean => types.some((type) => type === addressType);
  const unused = state.living.filter((slice) => !isUsed(slice));
  for (const { addressType } of unused) deps.topology.removeHints(state.key, addressType);
  for (const addressType of types) errors.push(...(await syncAddressType(state, addressType, deps, signal)));
  for (const slice of unused) errors.push(...(await removeUnused(slice, state.key, deps, signal)));
  if (errors.length > 0) throw aggregate(errors);
}

/** Returns the errors. */
async function syncAddressType(
  { key, service, pods, living, triggerTime }: ServiceState,
  addressType: AddressType,
  deps: Deps,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  const { metrics, endpointsMax, nodes } = deps;
  const slices = living.filter((slice) => slice.addressType === addressType);
  const nodeOf = nodes.lister.get.bind(nodes.lister);
  const plan = planSlices({ service, pods, slices, nodeOf, addressType, endpointsMax });
  const errors: unknown[] = plan.withoutNode.map((pod) => nodeMissing(pod, service, deps));
  metrics.added.observe(plan.added);
  metrics.removed.observe(plan.removed);
  metrics.efficiency.set(key, plan.counts);
  metrics.distributions.set(key, usedDistribution(service));
  const { create, update, events } = hintSlices(service, addressType, plan, deps.topology);
  const hinted = { create, update, remove: plan.remove };
  const changes = recycled(hinted, (slice) => isOwnedBy(slice, service));
  const timed = {
    create: changes.create.map((slice) => withTriggerTime(slice, triggerTime)),
    update: changes.update.map((slice) => withTriggerTime(slice, triggerTime)),
    remove: changes.remove,
  };
  const { namespace, deletionTimestamp } = service.metadata;
  const owner = { text: `Service ${key}`, namespace, isDeleted: deletionTimestamp !== undefined };
  try {
    if (await writeSlices(timed, owner, deps.writer, signal)) {
      const changed = timed.create.length + timed.update.length + timed.remove.length;
      const mode = wantsZoneHints(service) ? "Auto" : "Disabled";
      metrics.changedPerSync.observe(changed, [mode, usedDistribution(service) ?? ""]);
    }
  } catch (error) {
    errors.push(error);
  }
  const about = referenceTo(service, Services);
  for (const { type, reason, message } of events) deps.recorder.event(about, type, reason, message);
  return errors;
}

/** The pod's endpoint is left out until its Node is known, and the Service is retried. */
function nodeMissing(pod: Pod, service: Service, { log }: Deps): Error {
  const { nodeName: node = "" } = pod.spec ?? {};
  log.info("skipping Pod for Service, Node not found", { pod: ref(pod), service: ref(service), node: { name: node } });
  const { namespace, name } = service.metadata;
  return new Error(`skipping Pod ${pod.metadata.name} for Service ${namespace}/${name}: Node ${node} Not Found`);
}

/** A slice of an address type that the Service no longer has. */
async function removeUnused(
  slice: EndpointSlice,
  key: ObjectKey,
  { writer, tracker }: Deps,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  const { namespace, name } = slice.metadata;
  try {
    await writer.api.delete({ namespace, name }, signal);
  } catch (error) {
    const message = `error deleting ${name} EndpointSlice for Service ${key}: ${errorMessage(error)}`;
    return [new Error(message, { cause: error })];
  }
  tracker.expectDeletion(slice);
  writer.count("delete");
  return [];
}
