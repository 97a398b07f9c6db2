// Taints that drivers publish with their devices.

import { expect } from "vitest";
import { Events, Pods } from "#api/generated/resources/core-v1.ts";
import { ResourceClaims, ResourceSlices } from "#api/generated/resources/resource-v1.ts";
import { allocate, consumer, createClaim, createTemplate, createUser, generatedClaim } from "#test/stage/devices.ts";
import { bind, isTerminating } from "#test/stage/pods.ts";
import type { ScenarioText } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";
import { broken, publish, runUser, taint, untilEvicted } from "./steps.ts";

const forever = { key: "broken", operator: "Exists", effect: "NoExecute" };

async function expectNoEviction(stage: Stage, name = "user"): Promise<void> {
  await stage.settle();
  expect(isTerminating(await stage.of(Pods).get(name))).toBe(false);
}

/** Equal events are merged, with a count. */
async function cancellations(stage: Stage): Promise<number> {
  const events = await stage.of(Events).list();
  const counts = events.map(({ message, count = 1 }) => (message === "Cancelling deletion" ? count : 0));
  return counts.reduce((total, count) => total + count, 0);
}

export const taintedSlices: readonly ScenarioText[] = [
  {
    name: "device-taint-eviction/6, device-taint-eviction/watches, device-taint-eviction/reads-live, device-taint-eviction/writes, device-taint-eviction/queues, device-taint-eviction/events evicts a pod when its device is tainted",
    async play(stage) {
      const slice = await publish(stage);
      await runUser(stage);
      await taint(stage, slice, [broken]);
      const pod = await untilEvicted(stage);
      const condition = pod.status?.conditions?.find(({ type }) => type === "DisruptionTarget");
      expect(condition).toMatchObject({
        status: "True",
        reason: "DeletionByDeviceTaintManager",
        message: "Device Taint manager: deleting due to NoExecute taint",
      });
      await stage.event("DeviceTaintManagerEviction", ({ message, type, involvedObject, source }) => {
        const isAboutPod = involvedObject.uid === pod.metadata.uid && type === "Normal";
        return (
          message === "Marking for deletion" && isAboutPod && source?.component === "device-taint-eviction-controller"
        );
      });
    },
  },
  {
    name: "device-taint-eviction/2, device-taint-eviction/tests leaves pods alone whose claims tolerate the taint, and taints of other effects and devices",
    async play(stage) {
      const slice = await publish(stage);
      await runUser(stage, "tolerant", { result: { tolerations: [forever] } });
      await runUser(stage, "other", { result: { device: "gpu-1" } });
      await taint(stage, slice, [{ ...broken, effect: "NoSchedule" }]);
      await expectNoEviction(stage, "tolerant");
      await taint(stage, slice, [broken]);
      await expectNoEviction(stage, "tolerant");
      await expectNoEviction(stage, "other");
    },
  },
  {
    name: "device-taint-eviction/2, device-taint-eviction/6 evicts a pod when its toleration ends, the shortest one of several",
    async play(stage) {
      const slice = await publish(stage);
      const tolerations = [
        { ...forever, tolerationSeconds: 300 },
        { ...forever, tolerationSeconds: 4 },
      ];
      await runUser(stage, "user", { result: { tolerations } });
      await taint(stage, slice, [broken]);
      await stage.settle();
      await stage.calm(async () => expect(isTerminating(await stage.of(Pods).get("user"))).toBe(false));
      await untilEvicted(stage);
    },
  },
  {
    name: "device-taint-eviction/7 cancels the eviction when the taint is gone",
    async play(stage) {
      const slice = await publish(stage);
      await runUser(stage, "user", { result: { tolerations: [{ ...forever, tolerationSeconds: 300 }] } });
      await taint(stage, slice, [broken]);
      await stage.settle();
      await taint(stage, slice, []);
      await stage.event("DeviceTaintManagerEviction", ({ message }) => message === "Cancelling deletion");
      await expectNoEviction(stage);
    },
  },
  {
    name: "device-taint-eviction/7, device-taint-eviction/tests cancels the eviction when the taint evicts nobody any more, and when the device is gone",
    async play(stage) {
      const slice = await publish(stage);
      await runUser(stage, "user", { result: { tolerations: [{ ...forever, tolerationSeconds: 300 }] } });
      const cancelled = async (count: number): Promise<void> => {
        await stage.until(`${count} cancellations`, async () => (await cancellations(stage)) === count);
      };
      await taint(stage, slice, [broken]);
      await stage.settle();
      await taint(stage, slice, [{ ...broken, effect: "NoSchedule" }]);
      await stage.calm(() => cancelled(1));
      await stage.settle();
      await taint(stage, slice, [broken]);
      await stage.settle();
      await stage.of(ResourceSlices).delete(slice);
      await stage.calm(() => cancelled(2));
      await expectNoEviction(stage);
    },
  },
  {
    name: "device-taint-eviction/2, device-taint-eviction/5 evicts a pod at once when a taint comes that it does not tolerate",
    async play(stage) {
      const slice = await publish(stage);
      await runUser(stage, "user", { result: { tolerations: [{ ...forever, tolerationSeconds: 300 }] } });
      await taint(stage, slice, [broken]);
      await expectNoEviction(stage);
      await taint(stage, slice, [broken, { key: "burning", effect: "NoExecute" }]);
      await untilEvicted(stage);
    },
  },
  {
    name: "device-taint-eviction/1, device-taint-eviction/traps counts the newest slices of a pool alone",
    async play(stage) {
      const slice = await publish(stage);
      const newer = await publish(stage, [], { base: "newer", generation: 2 });
      await runUser(stage);
      await taint(stage, slice, [broken]);
      await expectNoEviction(stage);
      await stage.of(ResourceSlices).delete(newer);
      await untilEvicted(stage);
    },
  },
  {
    name: "device-taint-eviction/4, device-taint-eviction/5 evicts a pod that gets a node, or a reservation, with a tainted device",
    async play(stage) {
      await publish(stage, [broken]);
      await createClaim(stage, "shared");
      const first = await createUser(stage, "first", { gpu: "shared" });
      await allocate(stage, "shared", { reservedFor: [consumer(first)], isProtected: false });
      await expectNoEviction(stage, "first");
      const second = await createUser(stage, "second", { gpu: "shared" }, { nodeName: "node-1" });
      await stage.standIn("resourceclaim-controller", async () => {
        await stage.of(ResourceClaims).updateStatus("shared", ({ status, ...claim }) => ({
          ...claim,
          status: { ...status, reservedFor: [consumer(first), consumer(second)] },
        }));
      });
      await untilEvicted(stage, "second");
      await stage.settle();
      await bind(stage, "first", "node-1");
      await untilEvicted(stage, "first");
    },
  },
  {
    exceptions: [
      {
        where: /ResourceClaim \{play\} user-card|delete resourceclaims/,
        reason:
          "resourceclaim-controller deletes the claim if it sees the pod Failed before pod garbage collection ends it",
      },
    ],
    name: "device-taint-eviction/4 evicts a pod with a tainted device of a claim that was made for it",
    async play(stage) {
      const slice = await publish(stage);
      await createTemplate(stage, "gpu");
      await stage.settle();
      const pod = await createUser(stage, "user", { card: "from:gpu" }, { nodeName: "node-1" });
      const { name } = (await generatedClaim(stage, "card")).metadata;
      await stage.of(Pods).until("user", ({ status }) => status?.resourceClaimStatuses !== undefined);
      await allocate(stage, name, { reservedFor: [consumer(pod)], isProtected: false });
      await stage.settle();
      await taint(stage, slice, [broken]);
      await untilEvicted(stage);
    },
  },
  {
    name: "device-taint-eviction/4 does not evict a pod whose claim is not allocated any more",
    async play(stage) {
      const slice = await publish(stage);
      await createClaim(stage, "free");
      await createUser(stage, "user", { gpu: "free" }, { nodeName: "node-1" });
      await stage.settle();
      await taint(stage, slice, [broken]);
      await expectNoEviction(stage);
      await stage.calm(async () => expect(await stage.writes()).toEqual([]));
    },
  },
];
