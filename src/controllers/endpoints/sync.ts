// Syncs one Service: compares its Endpoints with its pods, and writes the difference.
// Upstream: pkg/controller/endpoint/endpoints_controller.go, syncService.

import { semanticEqual } from "#api/equality.ts";
import { Endpoints as EndpointsResource } from "#api/generated/resources/core-v1.ts";
import type { EndpointAddress, EndpointSubset } from "#api/generated/types/core-v1.ts";
import { selectorFromSet } from "#api/label-selector.ts";
import { type ObjectKey, ref, splitKey } from "#api/object.ts";
import type { Draft } from "#api/resource.ts";
import { isNamespaceTerminating, isNotFound } from "#api/status-error.ts";
import { formatTime } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";
import { errorMessage } from "#base/errors.ts";
import {
  HEADLESS,
  hasClusterIp,
  isManaged,
  type Service,
  TRIGGER_TIME,
  withoutKeys,
} from "#families/service-pods/model.ts";
import { repackSubsets } from "#families/service-pods/subsets.ts";
import { referenceTo } from "#kit/events/recorder.ts";
import { tolerate } from "#kit/tolerate.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";
import type { Deps, Endpoints } from "./model.ts";
import { ADDRESSES_MAX, countAddresses, truncated } from "./truncation.ts";
import { wantedSubsets } from "./wanted-subsets.ts";

const MANAGED_BY = "endpoints.kubernetes.io/managed-by";
const CONTROLLER_NAME = "endpoint-controller";
const OVER_CAPACITY = "endpoints.kubernetes.io/over-capacity";

export async function syncService(key: ObjectKey, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const service = deps.services.lister.get(key);
  if (service === undefined) {
    await tolerate(deps.endpointsApi.delete(splitKey(key), signal), isNotFound);
    deps.triggerTimes.forget(key);
    deps.replaced.delete(key);
    return done;
  }
  if (!isManaged(service)) return done;
  const pods = deps.pods.lister.list(selectorFromSet(service.spec?.selector), service.metadata.namespace);
  const triggerTime = deps.triggerTimes.next(key, service, pods);
  const subsets = wantedSubsets(service, pods);
  const current = deps.endpoints.lister.get(key);
  if (current !== undefined) refuseStale(key, current, deps);
  if (current !== undefined && isRight(current, service, subsets)) return done;
  const wanted = endpointsOf(service, current, subsets, triggerTime);
  if (current === undefined) await create(service, wanted, deps, signal);
  else await update(key, current, wanted, deps, signal);
  return done;
}

/** Throws if the controller has already replaced this version. */
function refuseStale(key: ObjectKey, { metadata: { resourceVersion } }: Endpoints, { replaced }: Deps): void {
  if (replaced.get(key) !== resourceVersion) return;
  const what = `resource version ${resourceVersion} already processed for endpoints ${key}`;
  throw new Error(`endpoints informer cache is out of date, ${what}`);
}

/** Other versions of this program order subsets differently, so subsets with the same meaning are not rewritten. */
function isRight(current: Endpoints, service: Service, subsets: readonly EndpointSubset[]): boolean {
  const stored = (current.subsets ?? []).map(withoutTargetVersions);
  const { ready, unready } = countAddresses(stored);
  return (
    (semanticEqual(stored, subsets) || semanticEqual(repackSubsets(stored), subsets)) &&
    hasLabelsOf(current, service) &&
    ready + unready <= ADDRESSES_MAX &&
    current.metadata.annotations?.[OVER_CAPACITY] === undefined
  );
}

/** The version of the pod behind an address is ignored. */
function withoutTargetVersions(subset: EndpointSubset): EndpointSubset {
  const strip = (address: EndpointAddress): EndpointAddress => {
    if (address.targetRef?.resourceVersion === undefined) return address;
    const { resourceVersion: _, ...targetRef } = address.targetRef;
    return { ...address, targetRef };
  };
  const { addresses, notReadyAddresses, ...rest } = subset;
  return {
    ...rest,
    ...(addresses ? { addresses: addresses.map(strip) } : {}),
    ...(notReadyAddresses ? { notReadyAddresses: notReadyAddresses.map(strip) } : {}),
  };
}

/** The headless label is not compared. */
function hasLabelsOf({ metadata }: Endpoints, service: Service): boolean {
  if (metadata.labels?.[MANAGED_BY] !== CONTROLLER_NAME) return false;
  return semanticEqual(withoutKeys(metadata.labels, MANAGED_BY, HEADLESS), service.metadata.labels ?? {});
}

function endpointsOf(
  service: Service,
  current: Endpoints | undefined,
  subsets: readonly EndpointSubset[],
  triggerTime: EpochMs | undefined,
): Draft<Endpoints> {
  const cut = truncated(subsets);
  const annotations = {
    ...withoutKeys(current?.metadata.annotations, TRIGGER_TIME, OVER_CAPACITY),
    ...(triggerTime === undefined ? {} : { [TRIGGER_TIME]: formatTime(triggerTime) }),
    ...(cut === undefined ? {} : { [OVER_CAPACITY]: "truncated" }),
  };
  const labels = {
    ...withoutKeys(service.metadata.labels, HEADLESS),
    ...(hasClusterIp(service) ? {} : { [HEADLESS]: "" }),
    [MANAGED_BY]: CONTROLLER_NAME,
  };
  const metadata = current === undefined ? { name: service.metadata.name } : current.metadata;
  return {
    metadata: { ...metadata, labels, annotations },
    ...(subsets.length === 0 ? {} : { subsets: cut ?? subsets }),
  };
}

async function create(service: Service, object: Draft<Endpoints>, deps: Deps, signal: AbortSignal): Promise<void> {
  const { namespace, name } = service.metadata;
  try {
    await deps.endpointsApi.create({ namespace, object }, signal);
  } catch (error) {
    if (isNamespaceTerminating(error)) {
      deps.log.v(5).info("Forbidden from creating endpoints", { service: ref(service) });
      return;
    }
    // The object has no namespace yet, so the event goes to the default one, as upstream.
    const about = { kind: "Endpoints", apiVersion: "v1", name };
    const message = `Failed to create endpoint for service ${namespace}/${name}: ${errorMessage(error)}`;
    if (!signal.aborted) deps.recorder.event(about, "Warning", "FailedToCreateEndpoint", message);
    throw error;
  }
}

async function update(
  key: ObjectKey,
  current: Endpoints,
  draft: Draft<Endpoints>,
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  try {
    const object = draft as Endpoints; // a copy of the current one
    const { metadata } = await deps.endpointsApi.update({ object }, signal);
    // An update that changes nothing returns the same version.
    if (metadata.resourceVersion !== current.metadata.resourceVersion) {
      deps.replaced.set(key, current.metadata.resourceVersion);
    }
  } catch (error) {
    const message = `Failed to update endpoint ${key}: ${errorMessage(error)}`;
    const about = referenceTo(current, EndpointsResource);
    if (!signal.aborted) deps.recorder.event(about, "Warning", "FailedToUpdateEndpoint", message);
    throw error;
  }
}
