// Syncs one Endpoints object: mirrors it, or deletes its mirrors.
// Upstream: pkg/controller/endpointslicemirroring, syncEndpoints, reconcile.

import { Endpoints as EndpointsResource } from "#api/generated/resources/core-v1.ts";
import { type ObjectKey, ref } from "#api/object.ts";
import { errorMessage } from "#base/errors.ts";
import { hasSelector } from "#families/service-pods/model.ts";
import { type EndpointSlice, slicesOf } from "#families/slices/model.ts";
import { recycled, writeSlices } from "#families/slices/writes.ts";
import { referenceTo } from "#kit/events/recorder.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";
import { CONTROLLER_NAME, type Deps, type Endpoints, isMirrored } from "./model.ts";
import { planMirrors } from "./planning.ts";
import { type WantedMirrors, wantedMirrors } from "./wanted-mirrors.ts";

export async function syncEndpoints(key: ObjectKey, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const endpoints = deps.endpoints.lister.get(key);
  const service = deps.services.lister.get(key);
  const slices = slicesOf(deps.slices, key, CONTROLLER_NAME);
  if (endpoints === undefined || !isMirrored(endpoints) || service === undefined || hasSelector(service)) {
    deps.tracker.forget(key);
    deps.metrics.efficiency.remove(key);
    await removeAll(key, slices, deps, signal);
    return done;
  }
  deps.tracker.refuseStale(key, slices);
  await mirror(key, endpoints, slices, deps, signal);
  return done;
}

async function mirror(
  key: ObjectKey,
  endpoints: Endpoints,
  slices: readonly EndpointSlice[],
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  const { metrics, tracker, endpointsMax } = deps;
  const wanted = wantedMirrors(endpoints, endpointsMax);
  metrics.skipped.observe(wanted.skipped);
  reportSkipped(endpoints, wanted, deps);
  const plan = planMirrors(endpoints, wanted.mirrors, slices, endpointsMax);
  for (const slice of plan.right) if (!tracker.has(slice)) tracker.wrote(slice);
  metrics.added.observe(plan.added);
  metrics.updated.observe(plan.updated);
  metrics.removed.observe(plan.removed);
  metrics.efficiency.set(key, plan.counts);
  const { namespace, deletionTimestamp } = endpoints.metadata;
  const owner = { text: `Endpoints ${key}`, namespace, isDeleted: deletionTimestamp !== undefined };
  await writeSlices(recycled(plan), owner, deps.writer, signal);
}

function reportSkipped(endpoints: Endpoints, { invalid, skipped }: WantedMirrors, deps: Deps): void {
  const about = referenceTo(endpoints, EndpointsResource);
  for (const ip of invalid) {
    const message = "Address in Endpoints is not a valid IP, it will not be mirrored to an EndpointSlice";
    deps.log.info(message, { endpoints: ref(endpoints), IP: ip });
  }
  if (invalid.length > 0) {
    const message = `Skipped ${invalid.length} invalid IP addresses when mirroring to EndpointSlices`;
    deps.recorder.event(about, "Warning", "InvalidIPAddress", message);
  }
  if (skipped > invalid.length) {
    const limit = `A max of ${deps.endpointsMax} addresses can be mirrored to EndpointSlices per Endpoints subset.`;
    const message = `${limit} ${skipped} addresses were skipped`;
    deps.recorder.event(about, "Warning", "TooManyAddressesToMirror", message);
  }
}

async function removeAll(
  key: ObjectKey,
  slices: readonly EndpointSlice[],
  { writer }: Deps,
  signal: AbortSignal,
): Promise<void> {
  const errors: unknown[] = [];
  for (const { metadata } of slices) {
    const { namespace, name } = metadata;
    await writer.api.delete({ namespace, name }, signal).catch((error: unknown) => errors.push(error));
  }
  if (errors.length === 0) return;
  const what = `deleting ${errors.length}/${slices.length} EndpointSlices for ${key} Endpoints`;
  throw new Error(`error(s) ${what}, including: ${errorMessage(errors[0])}`, { cause: errors[0] });
}
