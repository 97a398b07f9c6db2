// What a runtime class adds to a pod: overhead, and scheduling to nodes that have the runtime.
// Upstream: plugin/pkg/admission/runtimeclass; pkg/util/tolerations

import { semanticEqual } from "#api/equality.ts";
import type { Pod, PodSpec, Toleration } from "#api/generated/types/core-v1.ts";
import type { RuntimeClass, Scheduling } from "#api/generated/types/node-v1.ts";
import { goQuote } from "#api/go-text.ts";
import type { KubeObject } from "#api/object.ts";
import type { Schema } from "#api/schema.ts";
import { type AdmissionAttributes, type AdmissionPlugin, admissionForbidden } from "../admission.ts";
import type { ServerCore } from "../core.ts";

const AMOUNTS: Schema = { additionalProperties: { format: "quantity" } };
const MISMATCH = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

export function runtimeClass(core: () => ServerCore): AdmissionPlugin {
  return {
    name: "RuntimeClass",
    handles: ({ operation, resource, subresource }) =>
      operation === "CREATE" && subresource === "" && resource.group === "" && resource.resource === "pods",
    admit(attributes) {
      const pod = attributes.object as Pod;
      const { overhead, scheduling } = classOf(core(), attributes) ?? {};
      let spec: PodSpec = pod.spec ?? { containers: [] };
      if (overhead) {
        const { podFixed = {} } = overhead;
        if (spec.overhead !== undefined && !semanticEqual(podFixed, spec.overhead, AMOUNTS)) {
          throw admissionForbidden(attributes, MISMATCH);
        }
        spec = { ...spec, overhead: podFixed };
      }
      if (scheduling) spec = scheduled(attributes, spec, scheduling);
      if (spec !== pod.spec) attributes.object = { ...pod, spec } as KubeObject;
    },
    validate(attributes) {
      const { overhead: given } = (attributes.object as Pod).spec ?? {};
      const overhead = classOf(core(), attributes)?.overhead;
      if (overhead === undefined) {
        if (given === undefined) return;
        const why = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead";
        throw admissionForbidden(attributes, why);
      }
      if (!semanticEqual(overhead.podFixed, given, AMOUNTS)) throw admissionForbidden(attributes, MISMATCH);
    },
  };
}

function classOf(core: ServerCore, attributes: AdmissionAttributes): RuntimeClass | undefined {
  const name = (attributes.object as Pod).spec?.runtimeClassName;
  if (name === undefined) return undefined;
  const found = core.kindServer.objects("runtimeclasses.node.k8s.io").get("", name)?.object;
  if (found !== undefined) return found as RuntimeClass;
  throw admissionForbidden(attributes, `pod rejected: RuntimeClass ${goQuote(name)} not found`);
}

function scheduled(attributes: AdmissionAttributes, spec: PodSpec, scheduling: Scheduling): PodSpec {
  const { nodeSelector = {}, tolerations = [] } = scheduling;
  for (const [key, value] of Object.entries(nodeSelector)) {
    const own = spec.nodeSelector?.[key];
    if (own === undefined || own === value) continue;
    const ofClass = `runtimeClass.scheduling.nodeSelector[${key}] = ${value}`;
    throw admissionForbidden(attributes, `conflict: ${ofClass}; pod.spec.nodeSelector[${key}] = ${own}`);
  }
  const selector = { ...spec.nodeSelector, ...nodeSelector };
  const merged = mergedTolerations([...(spec.tolerations ?? []), ...tolerations]);
  return {
    ...spec,
    ...(Object.keys(selector).length === 0 ? {} : { nodeSelector: selector }),
    ...(merged.length === 0 ? {} : { tolerations: merged }),
  };
}

/** Drops tolerations that another one covers. Of equal ones the first is kept. */
function mergedTolerations(all: readonly Toleration[]): readonly Toleration[] {
  const merged: Toleration[] = [];
  all.forEach((one, i) => {
    const isRedundant =
      merged.some((kept) => includes(kept, one)) ||
      all.slice(i + 1).some((later) => !semanticEqual(one, later) && includes(later, one));
    if (!isRedundant) merged.push(one);
  });
  return merged;
}

function includes(wide: Toleration, narrow: Toleration): boolean {
  if (semanticEqual(narrow, wide)) return true;
  const { key = "", operator = "Equal", effect = "", value = "", tolerationSeconds: seconds } = wide;
  const isAnyKey = key === "" && operator === "Exists";
  if ((narrow.key ?? "") !== key && !isAnyKey) return false;
  if ((narrow.effect ?? "") !== effect && effect !== "") return false;
  if (effect === "NoExecute" && seconds !== undefined) {
    if (narrow.tolerationSeconds === undefined || narrow.tolerationSeconds > seconds) return false;
  }
  if (operator === "Exists") return true;
  // As upstream, only in the wide toleration does a missing operator count as Equal.
  return operator === "Equal" && narrow.operator === "Equal" && (narrow.value ?? "") === value;
}
