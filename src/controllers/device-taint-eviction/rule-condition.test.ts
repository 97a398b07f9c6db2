import { expect, it } from "vitest";
import { knownController } from "#kit/known-controllers.ts";
import { deviceTaintEvictionController } from "./controller.ts";
import { type RuleCounts, ruleFinding } from "./rule-condition.ts";

const pending = (pods: number, namespaces: number): RuleCounts => ({
  effect: "NoExecute",
  pending: { pods, namespaces },
});
const simulated = (published: number, allocated: number, pods: number, namespaces: number): RuleCounts => ({
  effect: "None",
  published,
  allocated,
  pending: { pods, namespaces },
});
const END =
  "if the effect was NoExecute. This information will not be updated again. Recreate the DeviceTaintRule to trigger an update.";

it.each<[RuleCounts, number, string, string, string]>([
  [pending(0, 0), 0, "False", "NotStarted", ""],
  [pending(0, 0), 1, "False", "Completed", "1 pod evicted since starting the controller."],
  [pending(1, 1), 0, "True", "PodsPendingEviction", "1 pod needs to be evicted in 1 namespace."],
  [
    pending(3, 2),
    2,
    "True",
    "PodsPendingEviction",
    "3 pods need to be evicted in 2 different namespaces. 2 pods evicted since starting the controller.",
  ],
  [
    simulated(1, 1, 1, 1),
    0,
    "False",
    "NoEffect",
    `1 published device selected. 1 allocated device selected. 1 pod would be evicted in 1 namespace ${END}`,
  ],
  [
    simulated(2, 0, 0, 0),
    0,
    "False",
    "NoEffect",
    `2 published devices selected. 0 allocated devices selected. 0 pods would be evicted in 0 different namespaces ${END}`,
  ],
  [{ effect: "other" }, 0, "False", "OtherEffect", "Eviction only happens for the NoExecute effect."],
])("device-taint-eviction/8 tells of %j, %i evicted: %s %s", (counts, evicted, status, reason, message) => {
  expect(ruleFinding(counts, evicted)).toEqual({ status, reason, message });
});

it("device-taint-eviction/about, device-taint-eviction/config, device-taint-eviction/metrics has its gates and identity", () => {
  expect(knownController(deviceTaintEvictionController.name)).toMatchObject({
    identity: "device-taint-eviction-controller",
    aliases: [],
    featureGates: ["DynamicResourceAllocation", "DRADeviceTaints"],
  });
});
