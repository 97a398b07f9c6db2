import { describe, expect, it } from "vitest";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { stored } from "#api/testing.ts";
import { requestsOf } from "./pod-requests.ts";
import { tolerancesOf } from "./tolerances.ts";

describe("the gates of the autoscaler", () => {
  it("horizontal-pod-autoscaler/12, horizontal-pod-autoscaler/about HPAConfigurableTolerance lets the behaviour set tolerances", () => {
    const behavior = { scaleUp: { tolerance: "300m" }, scaleDown: { tolerance: "0" } };
    expect(tolerancesOf(behavior, 0.1, true)).toEqual({ down: 0, up: 0.3 });
    expect(tolerancesOf(behavior, 0.1, false)).toEqual({ down: 0.1, up: 0.1 });
    expect(tolerancesOf({ scaleUp: { tolerance: "1" } }, 0.1, true)).toEqual({ down: 0.1, up: 1 });
    expect(tolerancesOf(undefined, 0.1, true)).toEqual({ down: 0.1, up: 0.1 });
  });

  it("horizontal-pod-autoscaler/10, horizontal-pod-autoscaler/about PodLevelResources lets the pod's own request count", () => {
    const pod = stored(Pods, {
      metadata: { name: "web" },
      spec: {
        resources: { requests: { cpu: "2" } },
        containers: [{ name: "main", resources: { requests: { cpu: "500m" } } }],
      },
    });
    const rule = { resource: "cpu", container: "" };
    expect(requestsOf([pod], { ...rule, readsPodLevel: true }).get("web")).toBe(2000n);
    expect(requestsOf([pod], { ...rule, readsPodLevel: false }).get("web")).toBe(500n);
    expect(requestsOf([pod], { ...rule, container: "main", readsPodLevel: true }).get("web")).toBe(500n);
  });
});
