// Rollouts, scaling and pausing.

import { expect } from "vitest";
import { Deployments, ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { podTemplateHash } from "#api/hash.ts";
import { bind, finishDeletion, isTerminating } from "#test/stage/pods.ts";
import { AWAY_MS, type ScenarioText } from "#test/stage/scenario.ts";
import {
  becomeReady,
  condition,
  createDeployment,
  REVISION,
  setImage,
  untilComplete,
  untilProgress,
  untilSet,
  untilSize,
} from "./objects.ts";

export const rollouts: readonly ScenarioText[] = [
  {
    name: "deployment/6, deployment/9, deployment/16, deployment/17 creates a ReplicaSet named by the template's hash, and tells how far it is",
    async play(stage) {
      const { spec, metadata } = await createDeployment(stage, 2, { minReadySeconds: 0 });
      const set = await untilSize(stage, "example/web:1", 2);
      const hash = podTemplateHash(spec?.template ?? {});
      expect(set.metadata.name).toBe(`web-${hash}`);
      expect(set.metadata.labels).toEqual({ app: "web", "pod-template-hash": hash });
      expect(set.spec?.selector?.matchLabels).toEqual({ app: "web", "pod-template-hash": hash });
      expect(set.metadata.ownerReferences?.[0]).toMatchObject({ uid: metadata.uid, controller: true });
      expect(set.metadata.annotations).toEqual({
        [REVISION]: "1",
        "deployment.kubernetes.io/desired-replicas": "2",
        "deployment.kubernetes.io/max-replicas": "3",
      });
      await stage.event(
        "ScalingReplicaSet",
        ({ message }) => message === `Scaled up replica set web-${hash} from 0 to 2`,
      );
      const waiting = await stage.of(Deployments).until("web", ({ status }) => status?.unavailableReplicas === 2);
      expect(condition(waiting, "Available")).toMatchObject({ status: "False", reason: "MinimumReplicasUnavailable" });
      await becomeReady(stage, "example/web:1", 2);
      const complete = await untilComplete(stage, 2);
      expect(complete.metadata.annotations?.[REVISION]).toBe("1");
      const progressed = await untilProgress(stage, "NewReplicaSetAvailable");
      expect(condition(progressed, "Progressing")).toMatchObject({
        status: "True",
        message: `ReplicaSet "web-${hash}" has successfully progressed.`,
      });
      expect(condition(progressed, "Available")).toMatchObject({ status: "True", reason: "MinimumReplicasAvailable" });
    },
  },
  {
    name: "deployment/12, deployment/13 replaces pods one by one, with one more and none less than wanted",
    async play(stage) {
      await createDeployment(stage, 2);
      await becomeReady(stage, "example/web:1", 2);
      await untilComplete(stage, 2);
      await stage.settle();
      stage.always("two to three pods", async (reader) => {
        const living = (await reader.of(Pods).list()).filter((pod) => !isTerminating(pod));
        return living.length >= 2 && living.length <= 3;
      });
      await setImage(stage, "example/web:2");
      await becomeReady(stage, "example/web:2", 1);
      await untilSize(stage, "example/web:1", 1);
      await becomeReady(stage, "example/web:2", 2);
      await untilSize(stage, "example/web:1", 0);
      const { metadata } = await untilComplete(stage, 2);
      expect(metadata.annotations?.[REVISION]).toBe("2");
      expect((await untilSet(stage, "example/web:2")).metadata.annotations?.[REVISION]).toBe("2");
    },
  },
  {
    name: "deployment/12, deployment/13 removes unhealthy old pods first when a rollout replaces a broken one",
    async play(stage) {
      const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } };
      await createDeployment(stage, 3, { strategy });
      await becomeReady(stage, "example/web:1", 3);
      await untilComplete(stage, 3);
      await stage.settle();
      await setImage(stage, "example/broken:1");
      await untilSize(stage, "example/broken:1", 2);
      await untilSize(stage, "example/web:1", 2);
      await stage.settle();
      await setImage(stage, "example/web:3");
      await untilSize(stage, "example/broken:1", 0);
      await untilSize(stage, "example/web:3", 2);
      await becomeReady(stage, "example/web:3", 2);
      await untilSize(stage, "example/web:1", 0);
      await becomeReady(stage, "example/web:3", 3);
      await untilComplete(stage, 3);
    },
  },
  {
    name: "deployment/14 starts no new pod before the last old one has ended, when it recreates",
    chance: [
      {
        where: /^reads of phase \d+ › list .*\/replicasets/,
        reason: "when a pod of a Recreate Deployment is deleted, ReplicaSets are read from the cache (see Deviations)",
      },
    ],
    exceptions: [
      {
        where: /Deployment \{play\} web › status\.conditions\.\d+\.(type|reason|message)$/,
        reason:
          "deployment_util.go, SetDeploymentCondition: a changed condition moves to the end, so their order tells which statuses were written",
      },
    ],
    async play(stage) {
      await createDeployment(stage, 1, { strategy: { type: "Recreate" } });
      await becomeReady(stage, "example/web:1", 1);
      await untilComplete(stage, 1);
      const [old] = await stage.of(Pods).list();
      const name = old?.metadata.name ?? "";
      await bind(stage, name, "node-1");
      await stage.settle();
      await setImage(stage, "example/web:2");
      await untilSet(stage, "example/web:1", ({ spec, status }) => spec?.replicas === 0 && !status?.replicas);
      await stage.of(Pods).until(name, isTerminating);
      await stage.settle();
      expect(await stage.of(ReplicaSets).list()).toHaveLength(1);
      await finishDeletion(stage, name);
      await becomeReady(stage, "example/web:2", 1);
      await untilComplete(stage, 1);
    },
  },
  {
    name: "deployment/10, deployment/11 hands a new size to its only active ReplicaSet, and remembers it there",
    async play(stage) {
      await createDeployment(stage, 1);
      await untilSize(stage, "example/web:1", 1);
      for (const replicas of [3, 0, 2]) {
        await stage.settle();
        await stage.of(Deployments).patch("web", { spec: { replicas } });
        await untilSize(stage, "example/web:1", replicas);
      }
      const { metadata } = await untilSet(stage, "example/web:1");
      expect(metadata.annotations?.["deployment.kubernetes.io/desired-replicas"]).toBe("2");
      await stage.event("ScalingReplicaSet", ({ message }) => message?.endsWith("from 3 to 0") ?? false);
    },
  },
  {
    name: "deployment/11, deployment/13 spreads a new size over all ReplicaSets in the middle of a rollout, in proportion",
    async play(stage) {
      const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } };
      await createDeployment(stage, 5, { strategy });
      await becomeReady(stage, "example/web:1", 5);
      await untilComplete(stage, 5);
      await stage.settle();
      await setImage(stage, "example/broken:1");
      await untilSize(stage, "example/web:1", 3);
      await untilSize(stage, "example/broken:1", 5);
      await stage.settle();
      await stage.of(Deployments).patch("web", { spec: { replicas: 15 } });
      await untilSize(stage, "example/web:1", 7);
      await untilSize(stage, "example/broken:1", 11);
    },
  },
  {
    name: "deployment/2, deployment/17 scales but does not roll out while it is paused, and goes on when it is resumed",
    async play(stage) {
      await createDeployment(stage, 1);
      await becomeReady(stage, "example/web:1", 1);
      await untilComplete(stage, 1);
      await stage.settle();
      await stage.of(Deployments).patch("web", { spec: { paused: true } });
      const paused = await untilProgress(stage, "DeploymentPaused");
      expect(condition(paused, "Progressing")).toMatchObject({ status: "Unknown", message: "Deployment is paused" });
      await stage.settle();
      await setImage(stage, "example/web:2");
      await stage.of(Deployments).patch("web", { spec: { replicas: 2 } });
      await untilSize(stage, "example/web:1", 2);
      await stage.settle();
      expect(await stage.of(ReplicaSets).list()).toHaveLength(1);
      await stage.of(Deployments).patch("web", { spec: { paused: false } });
      await untilSize(stage, "example/web:2", 1);
      expect(condition(await stage.of(Deployments).get("web"), "Progressing")?.reason).not.toBe("DeploymentPaused");
    },
  },
  {
    name: "deployment/17, deployment/19 says when it made no progress for as long as its deadline",
    async play(stage) {
      await createDeployment(stage, 1);
      await untilSize(stage, "example/web:1", 1);
      await stage.settle();
      await stage.of(Deployments).patch("web", { spec: { progressDeadlineSeconds: 2 } });
      const late = await untilProgress(stage, "ProgressDeadlineExceeded");
      const { metadata } = await untilSet(stage, "example/web:1");
      expect(condition(late, "Progressing")).toMatchObject({
        status: "False",
        message: `ReplicaSet "${metadata.name}" has timed out progressing.`,
      });
      await stage.settle();
      await becomeReady(stage, "example/web:1", 1);
      await untilProgress(stage, "NewReplicaSetAvailable");
    },
  },
  {
    name: "deployment/12, deployment/13 rolls out what it was told while the API server was gone",
    alone: true,
    chance: [
      {
        where: /writes of phase 3 › deployment-controller: \{play\} replicasets web-\w+ › [1-9]\d*$/,
        reason: "the watch of ReplicaSets may come back after that of Deployments: a create is sent again, and refused",
      },
    ],
    async play(stage) {
      await createDeployment(stage, 1);
      await becomeReady(stage, "example/web:1", 1);
      await untilComplete(stage, 1);
      await stage.settle();
      await stage.outage(async () => {
        await setImage(stage, "example/web:2");
        await stage.pass(AWAY_MS);
      });
      await untilSize(stage, "example/web:2", 1);
      await becomeReady(stage, "example/web:2", 1);
      await untilSize(stage, "example/web:1", 0);
      await untilComplete(stage, 1);
    },
  },
];
