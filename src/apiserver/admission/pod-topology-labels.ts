// At binding, a pod gets the zone and region labels of its node.
// Upstream: plugin/pkg/admission/podtopologylabels/admission.go

import type { Binding, Pod } from "#api/generated/types/core-v1.ts";
import type { KubeObject } from "#api/object.ts";
import type { AdmissionPlugin } from "../admission.ts";
import type { ServerCore } from "../core.ts";

const LABELS = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"];

export function podTopologyLabels(core: () => ServerCore): AdmissionPlugin {
  return {
    name: "PodTopologyLabels",
    handles: ({ resource, subresource, operation }) =>
      operation === "CREATE" &&
      resource.group === "" &&
      resource.resource === "pods" &&
      (subresource === "" || subresource === "binding"),
    admit(attributes) {
      if (!core().gates.isEnabled("PodTopologyLabelsAdmission")) return;
      const object = attributes.object as KubeObject;
      const nodeName = attributes.subresource === "" ? (object as Pod).spec?.nodeName : boundNode(object as Binding);
      const labels = nodeName ? labelsOfNode(core(), nodeName) : {};
      if (Object.keys(labels).length === 0) return;
      // Overwrites labels that the pod already has.
      const { metadata = {} } = object;
      attributes.object = { ...object, metadata: { ...metadata, labels: { ...metadata.labels, ...labels } } };
    },
  };
}

function boundNode({ target }: Binding): string | undefined {
  return target?.kind === "Node" ? target.name : undefined;
}

/** Empty if the node does not exist. */
function labelsOfNode(core: ServerCore, name: string): Readonly<Record<string, string>> {
  const row = core.registry.row("nodes");
  const labels = (row && core.tableOf(row).get(name)?.object.metadata?.labels) ?? {};
  return Object.fromEntries(LABELS.flatMap((key) => (labels[key] === undefined ? [] : [[key, labels[key]]])));
}
