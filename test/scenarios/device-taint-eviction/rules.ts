// Taints by administrators: DeviceTaintRules, behind their feature gate.

import { expect } from "vitest";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { DeviceTaintRules } from "#api/generated/resources/resource-v1beta2.ts";
import { PodGroups } from "#api/generated/resources/scheduling-v1alpha2.ts";
import type { DeviceTaintRule, DeviceTaintSelector } from "#api/generated/types/resource-v1beta2.ts";
import { allocate, createClaim, createUser } from "#test/stage/devices.ts";
import { isTerminating } from "#test/stage/pods.ts";
import type { ScenarioText } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";
import { broken, DRIVER, publish, runUser, taint, untilEvicted } from "./steps.ts";

async function createRule(stage: Stage, effect: string, selector: DeviceTaintSelector = {}): Promise<string> {
  const name = stage.name("rule");
  const deviceSelector = { driver: DRIVER, pool: stage.name("pool"), ...selector };
  await stage
    .of(DeviceTaintRules)
    .create({ metadata: { name }, spec: { deviceSelector, taint: { ...broken, effect } } });
  return name;
}

const conditionOf = ({ status }: DeviceTaintRule) =>
  status?.conditions?.find(({ type }) => type === "EvictionInProgress");

const untilReason = (stage: Stage, rule: string, reason: string) =>
  stage.of(DeviceTaintRules).until(rule, (one) => conditionOf(one)?.reason === reason);

export const rules: readonly ScenarioText[] = [
  {
    profile: "alpha",
    name: "device-taint-eviction/3, device-taint-eviction/8 evicts the pods of a rule, and tells when it has",
    async play(stage) {
      await publish(stage);
      await runUser(stage);
      const rule = await createRule(stage, "NoExecute");
      await untilEvicted(stage);
      await stage.calm(async () => {
        const done = await untilReason(stage, rule, "Completed");
        expect(conditionOf(done)).toMatchObject({
          status: "False",
          message: "1 pod evicted since starting the controller.",
          observedGeneration: 1,
        });
      });
    },
    exceptions: [
      {
        where: /end state › DeviceTaintRule/,
        reason: "evictedByRule counts since the start, as upstream's taintRuleStats",
      },
    ],
  },
  {
    profile: "alpha",
    exceptions: [
      {
        where: /end state › DeviceTaintRule .*status.conditions/,
        reason: "upstream does not count again when a pod that waits is removed, but a manager that starts does",
      },
    ],
    name: "device-taint-eviction/8 tells how many pods wait for their eviction",
    async play(stage) {
      await publish(stage);
      const tolerations = [{ key: "broken", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 }];
      for (const name of ["a", "b"]) await runUser(stage, name, { result: { tolerations } });
      const rule = await createRule(stage, "NoExecute");
      const pending = await untilReason(stage, rule, "PodsPendingEviction");
      expect(conditionOf(pending)).toMatchObject({
        status: "True",
        message: "2 pods need to be evicted in 1 namespace.",
      });
    },
  },
  {
    profile: "alpha",
    name: "device-taint-eviction/8 tells what a rule without effect would evict, and evicts when the effect is another",
    async play(stage) {
      await publish(stage);
      await runUser(stage);
      const rule = await createRule(stage, "None");
      const found = await untilReason(stage, rule, "NoEffect");
      expect(conditionOf(found)?.message).toBe(
        "1 published device selected. 1 allocated device selected. 1 pod would be evicted in 1 namespace if the effect was NoExecute. This information will not be updated again. Recreate the DeviceTaintRule to trigger an update.",
      );
      await stage.settle();
      expect(isTerminating(await stage.of(Pods).get("user"))).toBe(false);
      await stage.of(DeviceTaintRules).patch(rule, { spec: { taint: { effect: "NoExecute" } } });
      await untilEvicted(stage);
    },
    exceptions: [
      {
        where: /end state › DeviceTaintRule/,
        reason: "evictedByRule counts since the start, as upstream's taintRuleStats",
      },
    ],
  },
  {
    profile: "alpha",
    name: "device-taint-eviction/8 tells that a rule with another effect evicts nothing",
    async play(stage) {
      await publish(stage);
      await runUser(stage);
      const rule = await createRule(stage, "NoSchedule");
      const found = await untilReason(stage, rule, "OtherEffect");
      expect(conditionOf(found)?.message).toBe("Eviction only happens for the NoExecute effect.");
      await stage.settle();
      expect(isTerminating(await stage.of(Pods).get("user"))).toBe(false);
    },
  },
  {
    profile: "alpha",
    name: "device-taint-eviction/3 evicts nothing for a rule of other devices, and the pods of devices that are not published",
    async play(stage) {
      await runUser(stage);
      const rule = await createRule(stage, "NoExecute", { device: "gpu-1" });
      const found = await untilReason(stage, rule, "NotStarted");
      expect(conditionOf(found)).toMatchObject({ status: "False", message: "" });
      await stage.settle();
      expect(isTerminating(await stage.of(Pods).get("user"))).toBe(false);
      const device = "gpu-0";
      await stage.of(DeviceTaintRules).delete(rule);
      await stage.of(DeviceTaintRules).untilGone(rule);
      await stage.settle();
      await createRule(stage, "NoExecute", { device });
      await untilEvicted(stage);
    },
    exceptions: [
      {
        where: /end state › DeviceTaintRule/,
        reason: "evictedByRule counts since the start, as upstream's taintRuleStats",
      },
    ],
  },
  {
    profile: "alpha",
    name: "device-taint-eviction/7, device-taint-eviction/3 cancels evictions when the rule is deleted",
    async play(stage) {
      await publish(stage);
      const tolerations = [{ key: "broken", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 }];
      await runUser(stage, "user", { result: { tolerations } });
      const rule = await createRule(stage, "NoExecute");
      await untilReason(stage, rule, "PodsPendingEviction");
      await stage.settle();
      await stage.of(DeviceTaintRules).delete(rule);
      await stage.event("DeviceTaintManagerEviction", ({ message }) => message === "Cancelling deletion");
      await stage.settle();
      expect(isTerminating(await stage.of(Pods).get("user"))).toBe(false);
    },
  },
  {
    profile: "alpha",
    name: "device-taint-eviction/4 evicts the pods of a group that a tainted claim is reserved for",
    async play(stage) {
      const slice = await publish(stage);
      await createClaim(stage, "shared");
      const spec = { schedulingPolicy: { basic: {} }, resourceClaims: [{ name: "gpu", resourceClaimName: "shared" }] };
      const { metadata } = await stage.of(PodGroups).create({ metadata: { name: "gang" }, spec });
      const member = { schedulingGroup: { podGroupName: "gang" }, nodeName: "node-1" };
      await createUser(stage, "worker", { gpu: "shared" }, member);
      const { name, uid } = metadata;
      const reservedFor = [{ apiGroup: "scheduling.k8s.io", resource: "podgroups", name, uid }];
      await allocate(stage, "shared", { reservedFor, isProtected: false });
      await stage.settle();
      await taint(stage, slice, [broken]);
      await untilEvicted(stage, "worker");
    },
  },
];
