// Following Jobs: completion, history, missing Jobs and other writers.

import { expect } from "vitest";
import { CronJobs, Jobs } from "#api/generated/resources/batch-v1.ts";
import { ConfigMaps } from "#api/generated/resources/core-v1.ts";
import type { ScenarioText } from "#test/stage/scenario.ts";
import {
  createActive,
  createChild,
  createCronJob,
  createOverdue,
  finish,
  jobSpec,
  resume,
  untilActive,
  untilStarted,
} from "./objects.ts";

export const following: readonly ScenarioText[] = [
  {
    name: "cronjob/4 a Job that has succeeded is no longer active, and tells the time of the last success",
    async play(stage) {
      await createActive(stage, await createOverdue(stage));
      const { status } = await finish(stage, "running", "Complete");
      const cronJob = await untilActive(stage);
      expect(cronJob.status?.lastSuccessfulTime).toBe(status?.completionTime);
      await stage.event(
        "SawCompletedJob",
        ({ message }) => message === "Saw completed job: running, condition: Complete",
      );
    },
  },
  {
    name: "cronjob/4 a Job that has failed is no longer active, and is no success",
    async play(stage) {
      await createActive(stage, await createOverdue(stage));
      await finish(stage, "running", "Failed");
      const { status } = await untilActive(stage);
      expect(status?.lastSuccessfulTime).toBeUndefined();
      await stage.event("SawCompletedJob", ({ message }) => message?.endsWith("condition: Failed") ?? false);
    },
  },
  {
    name: "cronjob/2, cronjob/3 deletes the oldest finished Jobs beyond its limits, successes and failures apart",
    repeatsEvents:
      "each sync warns of the unknown Jobs; events of Jobs and of the CronJob's own status may share a sync",
    async play(stage) {
      const limits = { successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0 };
      const cronJob = await createOverdue(stage, limits);
      for (const name of ["old", "new", "broken"]) await createChild(stage, cronJob, name);
      await stage.settle();
      await finish(stage, "new", "Complete", 60_000);
      await stage.settle();
      await finish(stage, "old", "Complete", 600_000);
      await stage.of(Jobs).untilGone("old");
      await stage.settle();
      await finish(stage, "broken", "Failed");
      await stage.of(Jobs).untilGone("broken");
      await stage.event("SuccessfulDelete", ({ message }) => message === "Deleted job old");
      expect((await stage.of(Jobs).list()).map(({ metadata }) => metadata.name)).toEqual(["new"]);
    },
  },
  {
    name: "cronjob/5 an active Job that is gone is dropped, and an event tells of it",
    async play(stage) {
      await createActive(stage, await createOverdue(stage));
      await stage.of(Jobs).delete("running", { propagationPolicy: "Background" });
      await untilActive(stage);
      await stage.event("MissingJob", ({ message }) => message === "Active job went missing: running");
    },
  },
  {
    name: "cronjob/1, cronjob/3 counts a Job of any controller with its name, but does not list it",
    async play(stage) {
      const { metadata } = await stage.of(ConfigMaps).create({ metadata: { name: "tick" } });
      const owner = { apiVersion: "v1", kind: "ConfigMap", name: "tick", uid: metadata.uid, controller: true };
      await stage.of(Jobs).create({ metadata: { name: "foreign", ownerReferences: [owner] }, spec: jobSpec });
      await stage.settle();
      await createCronJob(stage);
      await stage.event("UnexpectedJob", ({ message }) => message?.endsWith("forgot: foreign") ?? false);
      await stage.settle();
      expect((await stage.of(CronJobs).get("tick")).status?.active ?? []).toEqual([]);
    },
  },
  {
    name: "cronjob/15 notes the end of a Job although another writer changed the CronJob meanwhile",
    alone: true,
    async play(stage) {
      await createActive(stage, await createOverdue(stage));
      stage.hold(CronJobs);
      await stage.of(CronJobs).patch("tick", { metadata: { annotations: { note: "changed" } } });
      await finish(stage, "running", "Complete");
      await stage.pass(2000);
      stage.release(CronJobs);
      await untilActive(stage);
    },
  },
  {
    name: "cronjob/3 trusts the API server where its cache does not know an active Job yet",
    alone: true,
    async play(stage) {
      await createOverdue(stage);
      stage.hold(CronJobs);
      await resume(stage);
      await stage.settle();
      stage.release(CronJobs);
      await untilStarted(stage);
      await stage.settle();
      expect(await stage.of(Jobs).list()).toHaveLength(1);
    },
  },
];
