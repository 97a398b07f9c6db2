// Limit ranges of a namespace: default requests and limits of containers, and constraints. Upstream:
// plugin/pkg/admission/limitranger/admission.go

import { aggregateText } from "#api/field-error.ts";
import type { Container, LimitRange, PersistentVolumeClaim, Pod, PodSpec } from "#api/generated/types/core-v1.ts";
import type { KubeObject } from "#api/object.ts";
import { aggregateContainers, type ResourcePart } from "#rules/container-resources.ts";
import { type Amounts, readAmounts, type WireAmounts } from "#rules/resource-amounts.ts";
import { type AdmissionAttributes, type AdmissionPlugin, admissionForbidden } from "../admission.ts";
import type { ServerCore } from "../core.ts";
import { type Asked, claimErrors, constraintErrors } from "./limit-constraints.ts";

const ANNOTATION = "kubernetes.io/limit-ranger";

export function limitRanger(core: () => ServerCore): AdmissionPlugin {
  return {
    name: "LimitRanger",
    handles,
    admit(attributes) {
      if (attributes.kind.kind !== "Pod" || isOldDeleting(attributes)) return;
      for (const range of rangesOf(core(), attributes.namespace)) {
        attributes.object = withDefaults(attributes.object as Pod, range) as KubeObject;
      }
    },
    validate(attributes) {
      if (isOldDeleting(attributes)) return;
      for (const range of rangesOf(core(), attributes.namespace)) {
        const errors = problemsOf(core(), range, attributes);
        if (errors.length > 0) throw admissionForbidden(attributes, aggregateText(errors));
      }
    },
  };
}

/** The resources of a running pod change only by resize. */
function handles({ kind, subresource, operation }: AdmissionAttributes): boolean {
  if (kind.group !== "" || (operation !== "CREATE" && operation !== "UPDATE")) return false;
  if (kind.kind === "Pod") return operation === "CREATE" ? subresource === "" : subresource === "resize";
  return kind.kind === "PersistentVolumeClaim" && subresource === "";
}

const isOldDeleting = ({ oldObject }: AdmissionAttributes): boolean =>
  oldObject?.metadata?.deletionTimestamp !== undefined;

function rangesOf(core: ServerCore, namespace: string): LimitRange[] {
  const row = core.registry.row("limitranges");
  if (row === undefined) return [];
  return [...core.tableOf(row).scan({ prefix: `${namespace}/` })].map(({ object }) => object as LimitRange);
}

function problemsOf(core: ServerCore, { spec }: LimitRange, { kind, object }: AdmissionAttributes): string[] {
  const items = spec?.limits ?? [];
  if (kind.kind === "PersistentVolumeClaim") {
    const requests = readAmounts((object as PersistentVolumeClaim).spec?.resources?.requests);
    return items.filter(({ type }) => type === kind.kind).flatMap((item) => claimErrors(item, requests));
  }
  const pod = (object as Pod).spec ?? { containers: [] };
  return items.flatMap((item) => {
    if (item.type === "Container") {
      return [...pod.containers, ...(pod.initContainers ?? [])].flatMap((each) =>
        constraintErrors(item, askedBy(each)),
      );
    }
    return item.type === "Pod" ? constraintErrors(item, askedByPod(pod, core)) : [];
  });
}

const askedBy = ({ resources }: Container): Asked => ({
  requests: readAmounts(resources?.requests),
  limits: readAmounts(resources?.limits),
});

/** Unlike in other sums, overhead and pod-level huge pages do not count. */
function askedByPod(spec: PodSpec, core: ServerCore): Asked {
  const total = (part: ResourcePart): Amounts => {
    const amounts = aggregateContainers(spec, part);
    if (core.gates.isEnabled("PodLevelResources")) {
      for (const [name, amount] of readAmounts(spec.resources?.[part])) {
        if (name === "cpu" || name === "memory") amounts.set(name, amount);
      }
    }
    return amounts;
  };
  return { requests: total("requests"), limits: total("limits") };
}

function withDefaults(pod: Pod, { spec: range }: LimitRange): Pod {
  const items = (range?.limits ?? []).filter(({ type }) => type === "Container");
  const requests: WireAmounts = Object.assign({}, ...items.map(({ defaultRequest }) => defaultRequest));
  const limits: WireAmounts = Object.assign({}, ...items.map(({ default: limit }) => limit));
  const notes: string[] = [];
  const filled = (container: Container, what: string): Container => {
    const given = container.resources ?? {};
    const newRequests = missingFrom(given.requests, requests);
    const newLimits = missingFrom(given.limits, limits);
    if (newRequests.length > 0) notes.push(`${newRequests.join(", ")} request for ${what} ${container.name}`);
    if (newLimits.length > 0) notes.push(`${newLimits.join(", ")} limit for ${what} ${container.name}`);
    if (newRequests.length + newLimits.length === 0) return container;
    return {
      ...container,
      resources: {
        ...given,
        ...(newRequests.length > 0 ? { requests: { ...requests, ...given.requests } } : {}),
        ...(newLimits.length > 0 ? { limits: { ...limits, ...given.limits } } : {}),
      },
    } as Container;
  };
  const spec: PodSpec = pod.spec ?? { containers: [] };
  const containers = (spec.containers ?? []).map((container) => filled(container, "container"));
  const initContainers = spec.initContainers?.map((container) => filled(container, "init container"));
  if (notes.length === 0) return pod;
  const annotations = { ...pod.metadata?.annotations, [ANNOTATION]: `LimitRanger plugin set: ${notes.join("; ")}` };
  return {
    ...pod,
    metadata: { ...pod.metadata, annotations },
    spec: { ...spec, containers, ...(initContainers === undefined ? {} : { initContainers }) },
  };
}

/** The names that only the defaults have, sorted. */
function missingFrom(given: WireAmounts | undefined, defaults: WireAmounts): string[] {
  return Object.keys(defaults)
    .filter((name) => given === undefined || !Object.hasOwn(given, name))
    .sort();
}
