// Pod requests, limits and quality of service, compared with upstream's (tools/go/vectors-values).

import { describe, expect, it } from "vitest";
import type { Pod } from "#api/generated/types/core-v1.ts";
import { computePodQos, podQos } from "#rules/pod-qos.ts";
import { isPodResizeDeferred, type PodResourcesOptions, podLimits, podRequests } from "#rules/pod-resources.ts";
import { readAmounts, type WireAmounts, writeAmounts } from "#rules/resource-amounts.ts";
import file from "#test/vectors/pods.json" with { type: "json" };

interface Option extends PodResourcesOptions {
  readonly missing?: WireAmounts;
}
type Totals = readonly [requests: WireAmounts, limits: WireAmounts];
const { options, pods } = file as unknown as {
  readonly options: readonly (readonly [Option])[];
  readonly pods: readonly (readonly [Pod, string, readonly Totals[]])[];
};

/** Both print amounts in canonical form, but the order of names may differ. */
const sorted = (amounts: WireAmounts): unknown => Object.entries(amounts).sort();

describe("pod resources", () => {
  it("add up to what upstream computes, whatever is counted", () => {
    expect(pods.length).toBeGreaterThanOrEqual(300);
    for (const [pod, , totals] of pods) {
      options.forEach(([option], i) => {
        const { missing, ...rest } = option;
        const counted = missing === undefined ? rest : { ...rest, missingContainerRequests: readAmounts(missing) };
        const ours = [podRequests(pod, counted), podLimits(pod, counted)].map((list) => sorted(writeAmounts(list)));
        expect(ours).toEqual((totals[i] ?? []).map(sorted));
      });
    }
  });

  it("decide the quality of service", () => {
    const classes = pods.map(([pod]) => computePodQos(pod));
    expect(classes).toEqual(pods.map(([, expected]) => expected as "Burstable"));
    expect(new Set(classes).size).toBe(3);
    expect(podQos({ status: { qosClass: "Guaranteed" } })).toBe("Guaranteed");
    expect(
      podQos({ spec: { containers: [], resources: { requests: { cpu: "1" } } } }, { podLevelResources: false }),
    ).toBe("BestEffort");
  });

  it("tell a deferred resize", () => {
    const conditions = [{ type: "PodResizePending", status: "True", reason: "Deferred" }];
    expect(isPodResizeDeferred({ status: { conditions } })).toBe(true);
  });
});
