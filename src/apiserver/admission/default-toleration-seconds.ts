// Pods tolerate not-ready and unreachable nodes for five minutes, unless they specify otherwise.
// Upstream: plugin/pkg/admission/defaulttolerationseconds/admission.go

import type { Pod, Toleration } from "#api/generated/types/core-v1.ts";
import type { AdmissionPlugin } from "../admission.ts";

const TOLERATION_SECONDS = 300;

const TAINTS = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

export function defaultTolerationSeconds(): AdmissionPlugin {
  return {
    name: "DefaultTolerationSeconds",
    handles: ({ resource, subresource, operation }) =>
      resource.resource === "pods" &&
      resource.group === "" &&
      subresource === "" &&
      (operation === "CREATE" || operation === "UPDATE"),
    admit(attributes) {
      const pod = attributes.object as Pod;
      const tolerations = pod.spec?.tolerations ?? [];
      const missing = TAINTS.filter((key) => !tolerations.some((toleration) => tolerates(toleration, key)));
      if (missing.length === 0 || pod.spec === undefined) return;
      const added = missing.map(
        (key): Toleration => ({
          key,
          operator: "Exists",
          effect: "NoExecute",
          tolerationSeconds: TOLERATION_SECONDS,
        }),
      );
      attributes.object = { ...pod, spec: { ...pod.spec, tolerations: [...tolerations, ...added] } } as Pod;
    },
  };
}

function tolerates({ key = "", effect = "" }: Toleration, taint: string): boolean {
  return (key === taint || key === "") && (effect === "NoExecute" || effect === "");
}
