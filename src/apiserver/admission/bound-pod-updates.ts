// Checks the node before an update of a pod that runs there: declared features, and for a resize enough allocatable
// resources. Upstream: plugin/pkg/admission/nodedeclaredfeatures, plugin/pkg/admission/podresize

import { semanticEqual } from "#api/equality.ts";
import type { Node, Pod } from "#api/generated/types/core-v1.ts";
import { type Quantity, ZERO_QUANTITY } from "#api/quantity.ts";
import { ApiError } from "#api/status-error.ts";
import { podRequests } from "#rules/pod-resources.ts";
import { readAmounts } from "#rules/resource-amounts.ts";
import { type AdmissionAttributes, type AdmissionPlugin, admissionForbidden } from "../admission.ts";
import type { ServerCore } from "../core.ts";

export function nodeDeclaredFeatureValidator(core: () => ServerCore): AdmissionPlugin {
  return {
    name: "NodeDeclaredFeatureValidator",
    handles: (attributes) => isUpdateOfBoundPod(attributes, ["", "resize"]),
    validate(attributes) {
      if (!core().gates.isEnabled("NodeDeclaredFeatures")) return;
      const required = requiredFeatures(attributes.oldObject as Pod, attributes.object as Pod);
      if (required.length === 0) return;
      const node = nodeOf(core(), attributes);
      const declared = node.status?.declaredFeatures ?? [];
      const missing = required.filter((feature) => !declared.includes(feature));
      if (missing.length === 0) return;
      const what = `pod update requires features ${missing.join(", ")} which are not available on node`;
      throw admissionForbidden(attributes, `${what} "${node.metadata?.name}"`);
    },
  };
}

export function podResizeValidator(core: () => ServerCore): AdmissionPlugin {
  return {
    name: "PodResizeValidator",
    handles: (attributes) => isUpdateOfBoundPod(attributes, ["resize"]),
    validate(attributes) {
      if (!core().gates.isEnabled("InPlacePodVerticalScaling")) return;
      const node = nodeOf(core(), attributes);
      const system = node.metadata?.labels?.["kubernetes.io/os"] ?? "linux";
      if (system !== "linux") {
        const what = `pod resize is only supported on linux nodes, node "${node.metadata?.name}" is "${system}"`;
        throw refused(attributes, what, "UnsupportedPlatform");
      }
      const lacking = lackingOf(attributes.object as Pod, node);
      if (lacking.length === 0) return;
      const what = `node didn't have enough allocatable resources: ${lacking.join("; ")}`;
      throw refused(attributes, what, "NodeCapacity");
    },
  };
}

/** A new generation means that the spec changed. */
function isUpdateOfBoundPod(attributes: AdmissionAttributes, subresources: readonly string[]): boolean {
  const { operation, resource, subresource, object, oldObject } = attributes;
  if (operation !== "UPDATE" || resource.group !== "" || resource.resource !== "pods") return false;
  if (!subresources.includes(subresource) || !(object as Pod).spec?.nodeName) return false;
  return object?.metadata?.generation !== oldObject?.metadata?.generation;
}

function nodeOf(core: ServerCore, attributes: AdmissionAttributes): Node {
  const name = (attributes.object as Pod).spec?.nodeName ?? "";
  const row = core.registry.row("nodes");
  const node = row && core.tableOf(row).get(name)?.object;
  if (node === undefined) throw admissionForbidden(attributes, `node "${name}" not found`);
  return node as Node;
}

/** In upstream's order. */
function requiredFeatures(old: Pod, pod: Pod): string[] {
  const features: string[] = [];
  if (!semanticEqual(old.spec?.resources, pod.spec?.resources))
    features.push("InPlacePodLevelResourcesVerticalScaling");
  const isResized = (old.spec?.initContainers ?? []).some(({ restartPolicy, resources }, index) => {
    return restartPolicy !== "Always" && !semanticEqual(resources, pod.spec?.initContainers?.[index]?.resources);
  });
  if (isResized) features.push("InPlacePodVerticalScalingInitContainers");
  return features;
}

function lackingOf(pod: Pod, { status }: Node): string[] {
  const requests = podRequests(pod);
  const allocatable = readAmounts(status?.allocatable);
  const lacking: string[] = [];
  for (const [name, numberOf] of MEASURED) {
    const [wanted, available] = [requests.get(name) ?? ZERO_QUANTITY, allocatable.get(name) ?? ZERO_QUANTITY];
    if (wanted.cmp(available) > 0)
      lacking.push(`${name}, requested: ${numberOf(wanted)}, allocatable: ${numberOf(available)}`);
  }
  return lacking;
}

const MEASURED: readonly (readonly [string, (amount: Quantity) => number])[] = [
  ["cpu", (amount) => amount.milliValue()],
  ["memory", (amount) => amount.value()],
];

/** Also adds the reason as a cause. */
function refused(attributes: AdmissionAttributes, what: string, reason: string): ApiError {
  const { status } = admissionForbidden(attributes, what);
  return new ApiError({ ...status, details: { ...status.details, causes: [{ reason }] } });
}
