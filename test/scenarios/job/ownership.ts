// Owners, orphans, refusals and other writers.

import { expect } from "vitest";
import { Jobs } from "#api/generated/resources/batch-v1.ts";
import { ConfigMaps, Pods, ResourceQuotas } from "#api/generated/resources/core-v1.ts";
import type { OwnerReference } from "#api/meta.ts";
import { barePod, ownerUid, podSpec } from "#test/stage/pods.ts";
import type { ScenarioText } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";
import { quotaOfPods } from "../replicas/quota.ts";
import {
  createJob,
  exits,
  FINALIZER,
  hasFinalizer,
  patchSpec,
  template,
  untilActive,
  untilCondition,
  untilEnd,
  untilStatus,
} from "./objects.ts";

const labels = { app: "web" };
const manual = { manualSelector: true, selector: { matchLabels: labels }, template: template({}, { labels }) };

/** A controller that is not a Job. */
async function otherOwner(stage: Stage): Promise<OwnerReference> {
  const { metadata } = await stage.of(ConfigMaps).create({ metadata: { name: "other" } });
  return { apiVersion: "v1", kind: "ConfigMap", name: "other", uid: metadata.uid, controller: true };
}

export const ownership: readonly ScenarioText[] = [
  {
    name: "job/5 adopts an orphan with the finalizer, and releases a pod that it no longer selects",
    async play(stage) {
      await stage.of(Pods).create({ ...barePod("orphan"), spec: { ...podSpec, restartPolicy: "Never" } });
      const { metadata } = await createJob(stage, manual);
      const adopted = await stage.of(Pods).until("orphan", (pod) => ownerUid(pod) === metadata.uid);
      expect(adopted.metadata.finalizers).toEqual([FINALIZER]);
      await untilActive(stage, 1);
      await stage.of(Pods).patch("orphan", { metadata: { labels: { app: "other" } } });
      const released = await stage.of(Pods).until("orphan", (pod) => ownerUid(pod) === undefined);
      expect(hasFinalizer(released)).toBe(false);
      await untilActive(stage, 1);
    },
  },
  {
    name: "job/5, workloads/S13 two Jobs with one selector keep their own pods, and take none of another owner",
    async play(stage) {
      await stage.of(Pods).create(barePod("foreign", labels, { ownerReferences: [await otherOwner(stage)] }));
      await createJob(stage, manual);
      const [first] = await untilActive(stage, 1);
      await createJob(stage, manual, "second");
      const [second] = await untilActive(stage, 1, "second");
      await exits(stage, first);
      await untilCondition(stage, "Complete");
      await stage.settle();
      await exits(stage, second);
      await untilCondition(stage, "Complete", "True", "second");
      expect((await stage.of(Pods).get("foreign")).metadata.finalizers).toBeUndefined();
      for (const job of await stage.of(Jobs).list()) expect(job.status?.succeeded).toBe(1);
    },
  },
  {
    name: "job/3, job/4 strips the finalizer from the pods of a Job that is deleted without them",
    chance: [
      {
        where: /writes of phase 2 › job-controller: \{play\} jobs sum$/,
        reason: "a sync of the Job that is being deleted may write its status before or after the Job is gone",
      },
    ],
    async play(stage) {
      await createJob(stage, { parallelism: 2 });
      const pods = await untilActive(stage, 2);
      expect(pods.every(hasFinalizer)).toBe(true);
      await stage.of(Jobs).delete("sum", { propagationPolicy: "Orphan" });
      await stage.standIn("garbage-collector-controller", async () => {
        await stage.of(Jobs).patch("sum", { metadata: { finalizers: null } });
      });
      await stage.of(Jobs).untilGone("sum");
      await stage.of(Pods).untilAll((all) => all.length === 2 && !all.some(hasFinalizer));
    },
  },
  {
    name: "job/4, job/11 a Job that is deleted with its pods lets them go",
    chance: [
      {
        where: /writes of phase 2 › job-controller: \{play\} pods sum-\{\?\}( › \d+(\.code)?)?$/,
        reason: "the sweep of the Job's pods and the events of each pod race; the second patch finds the pod gone",
      },
    ],
    async play(stage) {
      await createJob(stage, { parallelism: 2 });
      await untilActive(stage, 2);
      await stage.of(Jobs).delete("sum", { propagationPolicy: "Background" });
      await stage.of(Jobs).untilGone("sum");
      await stage.of(Pods).untilAll((pods) => pods.length === 0);
    },
  },
  {
    name: "job/1, job/3, job/4 leaves a finished Job alone, but takes the finalizer from its pods again",
    async play(stage) {
      await createJob(stage);
      const [pod] = await untilActive(stage, 1);
      const name = pod?.metadata.name ?? "";
      await exits(stage, pod);
      await untilEnd(stage, "Complete", "CompletionsReached");
      await stage.settle();
      await stage.of(Pods).patch(name, { metadata: { finalizers: [FINALIZER] } });
      await patchSpec(stage, { parallelism: 2 });
      await stage.of(Pods).until(name, (each) => !hasFinalizer(each));
      await stage.calm(async () => expect(await stage.of(Pods).list()).toHaveLength(1));
    },
  },
  {
    name: "job/4 strips the finalizer from a pod that no Job owns, and leaves it to pods of other kinds",
    async play(stage) {
      const finalizers = [FINALIZER];
      await stage.of(Pods).create(barePod("free", labels, { finalizers }));
      await stage.of(Pods).until("free", (pod) => !hasFinalizer(pod));
      await stage.settle();
      const ownerReferences = [await otherOwner(stage)];
      await stage.of(Pods).create(barePod("kept", labels, { finalizers, ownerReferences }));
      await stage.settle();
      await stage.calm(async () => expect(hasFinalizer(await stage.of(Pods).get("kept"))).toBe(true));
    },
  },
  {
    name: "job/13, workloads/S11 a quota refuses pods: an event says so, and the Job goes on when the quota is raised",
    async play(stage) {
      await quotaOfPods(stage, 1);
      await stage.settle();
      await createJob(stage, { parallelism: 3, completions: 3 });
      await stage.untilRefused(3);
      await stage.event("FailedCreate", ({ message }) => message?.includes("exceeded quota") ?? false);
      await untilStatus(stage, { active: 1 });
      await stage.settle();
      await stage.of(ResourceQuotas).delete("pods");
      await untilActive(stage, 3);
    },
  },
  {
    name: "job/20 counts each pod once although another writer changes the Job meanwhile",
    alone: true,
    async play(stage) {
      await createJob(stage, { parallelism: 2, completions: 2 });
      const [first, second] = await untilActive(stage, 2);
      stage.hold(Jobs);
      await stage.of(Jobs).patch("sum", { metadata: { annotations: { note: "changed" } } });
      await exits(stage, first);
      await stage.pass(3000);
      stage.release(Jobs);
      await untilStatus(stage, { succeeded: 1 });
      await stage.settle();
      await exits(stage, second);
      const { status } = await untilEnd(stage, "Complete", "CompletionsReached");
      expect(status?.succeeded).toBe(2);
    },
  },
];
