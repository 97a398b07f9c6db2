// Defaults pod-level requests and limits from the containers, if the pod has pod-level resources.
// Upstream: pkg/apis/core/v1/defaults.go, defaultHugePagePodLimits, defaultPodRequests

import {
  addMissing,
  all,
  at,
  gated,
  isEmpty,
  isObject,
  type JsonObject,
  type Rule,
  set,
} from "#kinds/parts/defaulting.ts";
import { aggregateContainers, type ContainersLike } from "#rules/container-resources.ts";

const isHugePage = (name: string): boolean => name.startsWith("hugepages-");
const isSupported = (name: string): boolean => name === "cpu" || name === "memory" || isHugePage(name);

function aggregate(spec: JsonObject, part: "requests" | "limits", take: (name: string) => boolean): JsonObject {
  const amounts = [...aggregateContainers(spec as ContainersLike, part)].filter(([name]) => take(name));
  return Object.fromEntries(amounts.map(([name, amount]) => [name, amount.toString()]));
}

const hugePageLimits =
  (spec: JsonObject): Rule =>
  (resources) => {
    if (isEmpty(resources.limits) && isEmpty(resources.requests)) return resources;
    const requests = isObject(resources.requests) ? resources.requests : {};
    const limits = aggregate(spec, "limits", (name) => isHugePage(name) && !Object.hasOwn(requests, name));
    return isEmpty(limits) ? resources : set(resources, "limits", addMissing(resources.limits, limits));
  };

const podRequests =
  (spec: JsonObject): Rule =>
  (resources) => {
    if (!isObject(resources.limits) || isEmpty(resources.limits)) return resources;
    const fromContainers = aggregate(spec, "requests", (name) => name === "cpu" || name === "memory");
    const fromLimits = Object.fromEntries(Object.entries(resources.limits).filter(([name]) => isSupported(name)));
    const requests = addMissing(addMissing(resources.requests, fromContainers), fromLimits);
    return isEmpty(requests) ? resources : set(resources, "requests", requests);
  };

export const podLevelResources: Rule = gated("PodLevelResources", (spec, ctx) =>
  isObject(spec.resources) ? at("resources", all(hugePageLimits(spec), podRequests(spec)))(spec, ctx) : spec,
);
