// The pods' requests of a resource, in thousandths.
// Upstream: pkg/controller/podautoscaler/replica_calculator.go, calculateRequests.

import type { Container, Pod } from "#api/generated/types/core-v1.ts";
import { MILLI } from "#api/quantity.ts";
import { quantityFromWire } from "#api/quantity-parser.ts";
import type { Stored } from "#api/resource.ts";
import { isSidecar } from "#rules/container-resources.ts";
import { isPodLevelRequestsSet, podRequests } from "#rules/pod-resources.ts";
import { wrapped } from "./go-numbers.ts";

export interface RequestRule {
  readonly resource: string;
  /** Empty: the whole pod. */
  readonly container: string;
  /** The gate PodLevelResources. */
  readonly readsPodLevel: boolean;
}

/** By the names of the pods. Throws when one of them does not request the resource. */
export function requestsOf(pods: readonly Stored<Pod>[], rule: RequestRule): ReadonlyMap<string, bigint> {
  return new Map(pods.map((pod) => [pod.metadata.name, requestOf(pod, rule)]));
}

function requestOf(pod: Stored<Pod>, { resource, container, readsPodLevel }: RequestRule): bigint {
  const { name } = pod.metadata;
  if (readsPodLevel && container === "" && isPodLevelRequestsSet(pod)) {
    const request = podRequests(pod).get(resource);
    if (request === undefined) throw new Error(`missing pod-level request for ${resource} in Pod ${name}`);
    return request.scaledInt64(MILLI);
  }
  const { containers = [], initContainers = [] } = pod.spec ?? {};
  const all: readonly Container[] = [...containers, ...initContainers.filter(isSidecar)];
  const counted = container === "" ? all : all.filter((candidate) => candidate.name === container).slice(0, 1);
  if (container !== "" && counted.length === 0) throw new Error(`container ${container} not found in Pod ${name}`);
  let sum = 0n;
  for (const counting of counted) {
    const request = counting.resources?.requests?.[resource];
    if (request === undefined) {
      throw new Error(`missing request for ${resource} in container ${counting.name} of Pod ${name}`);
    }
    sum = wrapped(sum + quantityFromWire(request).scaledInt64(MILLI));
  }
  return sum;
}
