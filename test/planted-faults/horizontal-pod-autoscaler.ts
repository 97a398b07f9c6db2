// Faults in the horizontal pod autoscaler. Each would scale a workload wrongly or report something untrue.

import type { FaultPlan } from "./fault.ts";

const folder = "src/controllers/horizontal-pod-autoscaler";

export const plan: FaultPlan = {
  suites: [`./${folder}`, "./test/scenarios/horizontal-pod-autoscaler"],
  faults: [
    {
      name: "the size is told before it is set",
      file: `${folder}/sync.ts`,
      find: "await this.#rescale(found, current, plan, signal);",
      replace:
        "await this.#writeStatus({ current, desired: plan.replicas }, plan.statuses, true, signal);\nawait this.#rescale(found, current, plan, signal);",
      noticedBy: "doubles a target that uses twice its share of CPU, and then has enough",
    },
    {
      name: "pods without a sample count as idle when the target would shrink",
      file: `${folder}/replica-count.ts`,
      find: "if (ratio < 1) for (const pod of missing) values.set(pod, whenMissing(pod));",
      replace: "if (ratio < 1) for (const pod of missing) values.set(pod, 0n);",
      noticedBy: "takes pods without a sample for busy before it removes any",
    },
    {
      name: "the edge of the tolerance is outside",
      file: `${folder}/replica-count.ts`,
      find: "1 - down <= ratio && ratio <= 1 + up;",
      replace: "1 - down < ratio && ratio < 1 + up;",
      noticedBy: "is upstream's",
    },
    {
      name: "the lowest recommendation of the window counts",
      file: `${folder}/scaling-limits.ts`,
      find: "const stable = Math.max(request.desired, ...recent.map(({ replicas }) => replicas));",
      replace: "const stable = Math.min(request.desired, ...recent.map(({ replicas }) => replicas));",
      noticedBy: "shrinks a target only after the window",
    },
    {
      name: "changes within the period are forgotten",
      file: `${folder}/scaling-history.ts`,
      find: "if (behavior === undefined) return;",
      replace: "if (behavior !== undefined) return;",
      noticedBy: "grows no faster than its policy allows",
    },
    {
      name: "one metric that fails stops all",
      file: `${folder}/metric-round.ts`,
      find: "if (best === undefined || (first !== undefined && best.replicas < target.specReplicas)) {",
      replace: "if (best === undefined || first !== undefined) {",
      noticedBy: "grows by the metrics that it can read",
    },
    {
      name: "a target that somebody scaled to zero is woken up",
      file: `${folder}/sync.ts`,
      find: "const asksMetrics = isOurZero && (minReplicas !== 0 || this.#scalesByOthers());",
      replace: "const asksMetrics = true;",
      noticedBy: "leaves a target alone that was scaled to zero",
    },
    {
      name: "two autoscalers pull at the same pods",
      file: `${folder}/metric-round.ts`,
      find: "if (selecting.length <= 1) return;",
      replace: "if (selecting.length <= 2) return;",
      noticedBy: "does nothing for pods that another autoscaler scales, too",
    },
    {
      name: "the tolerance of the behaviour is ignored",
      file: `${folder}/tolerances.ts`,
      find: "given === undefined || !isConfigurable",
      replace: "given !== undefined || !isConfigurable",
      noticedBy: "tolerates what its behaviour tolerates",
    },
  ],
};
