// Defaults of the other kinds of the core group.
// Upstream: pkg/apis/core/v1/defaults.go

import { quantities } from "#kinds/parts/default-quantities.ts";
import {
  addMissing,
  all,
  at,
  each,
  gated,
  inner,
  isEmpty,
  isNil,
  isObject,
  isZero,
  type JsonObject,
  nil,
  type Rule,
  set,
  zero,
} from "#kinds/parts/defaulting.ts";
import { pod, podTemplate } from "#kinds/pod-spec/pod-defaults.ts";
import { persistentVolume, persistentVolumeClaim } from "#kinds/pod-spec/volume-defaults.ts";

export const labelsOf = (object: unknown): JsonObject | undefined => {
  const labels = isObject(object) && isObject(object.metadata) ? object.metadata.labels : undefined;
  return isObject(labels) && !isEmpty(labels) ? labels : undefined;
};

/** Takes the template's labels where an object has none of its own. */
export const labelsFrom = (object: JsonObject, labels: JsonObject): JsonObject =>
  labelsOf(object) === undefined
    ? inner("metadata", (meta) => set(meta, "labels", labels))(object, NO_CONTEXT)
    : object;

// labelsFrom's rule reads no context.
const NO_CONTEXT = { now: 0 };

const namespace: Rule = all(
  at("metadata", (meta) => {
    if (isZero(meta.name)) return meta;
    const labels = isObject(meta.labels) ? meta.labels : {};
    const named = set(labels, "kubernetes.io/metadata.name", meta.name);
    return set(meta, "labels", named);
  }),
  inner("status", zero({ phase: "Active" })),
);

const node: Rule = at(
  "status",
  all(
    (status) =>
      isNil(status.allocatable) && !isNil(status.capacity) ? set(status, "allocatable", status.capacity) : status,
    quantities("capacity"),
    quantities("allocatable"),
  ),
);

const replicationController: Rule = all(
  (object) => {
    const template = isObject(object.spec) ? labelsOf(object.spec.template) : undefined;
    if (template === undefined) return object;
    const selected = at("spec", (spec) => (isEmpty(spec.selector) ? set(spec, "selector", template) : spec))(
      object,
      NO_CONTEXT,
    );
    return labelsFrom(selected, template);
  },
  inner("spec", all(nil({ replicas: 1 }), at("template", podTemplate))),
);

const limitRangeItem: Rule = all(
  (item) => {
    if (item.type !== "Container") return item;
    const part = (field: string): JsonObject => (isObject(item[field]) ? item[field] : {});
    const limit = addMissing(item.default, part("max"));
    const request = addMissing(addMissing(item.defaultRequest, limit), part("min"));
    const limited = isEmpty(limit) ? item : set(item, "default", limit);
    return isEmpty(request) ? limited : set(limited, "defaultRequest", request);
  },
  ...["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"].map(quantities),
);

const sessionAffinity: Rule = (spec) => {
  if (spec.sessionAffinity === "None" && !isNil(spec.sessionAffinityConfig)) {
    const { sessionAffinityConfig: _, ...rest } = spec;
    return rest;
  }
  if (spec.sessionAffinity !== "ClientIP") return spec;
  const config = spec.sessionAffinityConfig;
  const clientIP = isObject(config) && isObject(config.clientIP) ? config.clientIP : {};
  return isNil(clientIP.timeoutSeconds)
    ? set(spec, "sessionAffinityConfig", { clientIP: { timeoutSeconds: 10800 } })
    : spec;
};

const trafficPolicies: Rule = (spec, ctx) => {
  const { type } = spec;
  const isExternal =
    type === "NodePort" || type === "LoadBalancer" || (type === "ClusterIP" && !isEmpty(spec.externalIPs));
  const external = isExternal ? zero({ externalTrafficPolicy: "Cluster" })(spec, ctx) : spec;
  const hasClusterIP = type === "NodePort" || type === "LoadBalancer" || type === "ClusterIP";
  const internal = hasClusterIP ? nil({ internalTrafficPolicy: "Cluster" })(external, ctx) : external;
  return type === "LoadBalancer" ? nil({ allocateLoadBalancerNodePorts: true })(internal, ctx) : internal;
};

const servicePort: Rule = all(zero({ protocol: "TCP" }), (port) =>
  isZero(port.targetPort) ? set(port, "targetPort", port.port ?? 0) : port,
);

const vipMode: Rule = at(
  "loadBalancer",
  each("ingress", (ingress) =>
    !isZero(ingress.ip) && isNil(ingress.ipMode) ? set(ingress, "ipMode", "VIP") : ingress,
  ),
);

const service: Rule = all(
  inner(
    "spec",
    all(
      zero({ sessionAffinity: "None" }),
      sessionAffinity,
      zero({ type: "ClusterIP" }),
      each("ports", servicePort),
      trafficPolicies,
    ),
  ),
  (object, ctx) =>
    isObject(object.spec) && object.spec.type === "LoadBalancer" ? at("status", vipMode)(object, ctx) : object,
);

export const CORE: Readonly<Record<string, Rule>> = {
  Endpoints: each("subsets", each("ports", zero({ protocol: "TCP" }))),
  LimitRange: at("spec", each("limits", limitRangeItem)),
  Namespace: namespace,
  Node: node,
  PersistentVolume: persistentVolume,
  PersistentVolumeClaim: persistentVolumeClaim,
  Pod: pod,
  PodLogOptions: gated("PodLogsQuerySplitStreams", nil({ stream: "All" })),
  PodTemplate: inner("template", podTemplate),
  ReplicationController: replicationController,
  ResourceQuota: all(at("spec", quantities("hard")), at("status", all(quantities("hard"), quantities("used")))),
  Secret: zero({ type: "Opaque" }),
  Service: service,
};
