// Revisions, their history, and recovery from obstacles.

import { expect } from "vitest";
import { Deployments, ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { ResourceQuotas } from "#api/generated/resources/core-v1.ts";
import { getControllerOf } from "#api/owner-refs.ts";
import { REFUSALS, type ScenarioText } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";
import { quotaOfPods } from "../replicas/quota.ts";
import {
  becomeReady,
  condition,
  createDeployment,
  REVISION,
  setImage,
  template,
  untilComplete,
  untilProgress,
  untilSet,
  untilSize,
} from "./objects.ts";

const ROLLBACK_TO = "deprecated.deployment.rollback.to";

async function rollTo(stage: Stage, image: string): Promise<void> {
  await stage.settle();
  await setImage(stage, image);
  await becomeReady(stage, image, 1);
  await untilComplete(stage, 1);
}

async function rolledOut(stage: Stage, more: object = {}): Promise<void> {
  await createDeployment(stage, 1, more);
  await becomeReady(stage, "example/web:1", 1);
  await untilComplete(stage, 1);
}

export const recoveries: readonly ScenarioText[] = [
  {
    name: "deployment/3, deployment/4 takes the old ReplicaSet when a template comes back, under a new revision",
    async play(stage) {
      await rolledOut(stage);
      await rollTo(stage, "example/web:2");
      await rollTo(stage, "example/web:1");
      const { metadata } = await untilSet(stage, "example/web:1");
      expect(metadata.annotations).toMatchObject({
        [REVISION]: "3",
        "deployment.kubernetes.io/revision-history": "1",
      });
      expect(await stage.of(ReplicaSets).list()).toHaveLength(2);
      expect((await stage.of(Deployments).get("web")).metadata.annotations?.[REVISION]).toBe("3");
    },
  },
  {
    name: "deployment/4 copies annotations and minReadySeconds to the new ReplicaSet without another rollout",
    async play(stage) {
      await createDeployment(stage, 1);
      await untilSize(stage, "example/web:1", 1);
      await stage.settle();
      const annotations = { team: "blue", "kubectl.kubernetes.io/last-applied-configuration": "{}" };
      await stage.of(Deployments).patch("web", { metadata: { annotations }, spec: { minReadySeconds: 3 } });
      const { metadata } = await untilSet(stage, "example/web:1", ({ spec }) => spec?.minReadySeconds === 3);
      expect(metadata.annotations?.team).toBe("blue");
      expect(metadata.annotations).not.toHaveProperty("kubectl.kubernetes.io/last-applied-configuration");
    },
  },
  {
    name: "deployment/15 keeps as many old ReplicaSets as the history limit says",
    async play(stage) {
      await rolledOut(stage, { revisionHistoryLimit: 1 });
      await rollTo(stage, "example/web:2");
      await rollTo(stage, "example/web:3");
      const sets = await stage.of(ReplicaSets).untilAll((found) => found.length === 2);
      expect(sets.map(({ metadata }) => metadata.annotations?.[REVISION]).toSorted()).toEqual(["2", "3"]);
    },
  },
  {
    name: "deployment/20 rolls back to the revision that an annotation names, and to the previous one",
    async play(stage) {
      await rolledOut(stage);
      await rollTo(stage, "example/web:2");
      await stage.settle();
      await stage.of(Deployments).patch("web", { metadata: { annotations: { [ROLLBACK_TO]: "1" } } });
      await stage.event(
        "DeploymentRollback",
        ({ message }) => message === 'Rolled back deployment "web" to revision 1',
      );
      await becomeReady(stage, "example/web:1", 1);
      const { metadata } = await untilComplete(stage, 1);
      expect(metadata.annotations).not.toHaveProperty(ROLLBACK_TO);
      await stage.settle();
      await stage.of(Deployments).patch("web", { metadata: { annotations: { [ROLLBACK_TO]: "0" } } });
      await becomeReady(stage, "example/web:2", 1);
      await untilComplete(stage, 1);
    },
  },
  {
    name: "deployment/20 says when there is no such revision, or when it is the current one",
    async play(stage) {
      await rolledOut(stage);
      for (const [wanted, reason] of [
        ["7", "DeploymentRollbackRevisionNotFound"],
        ["1", "DeploymentRollbackTemplateUnchanged"],
      ] as const) {
        await stage.settle();
        await stage.of(Deployments).patch("web", { metadata: { annotations: { [ROLLBACK_TO]: wanted } } });
        await stage.event(reason);
        await stage.of(Deployments).until("web", ({ metadata }) => metadata.annotations?.[ROLLBACK_TO] === undefined);
      }
    },
  },
  {
    name: "deployment/7 takes another name when the hash is taken by a different template",
    chance: [
      {
        where: /deployment-controller: \{play\} replicasets web-\w+ › \d+$/,
        reason: "a create that meets its own name is repeated until the cache shows the new collision count",
      },
    ],
    exceptions: [
      {
        where: /Deployment \{play\} web › status\.conditions\.\d+\.(type|reason|message)$/,
        reason:
          "progress.go, syncRolloutStatus: a condition that says NewReplicaSetAvailable is left as it is, with the name it had",
      },
    ],
    async play(stage) {
      await createDeployment(stage, 0);
      const { metadata } = await untilSet(stage, "example/web:1");
      await stage.settle();
      const containers = [{ name: "main", image: "example/other:1" }];
      await stage
        .of(ReplicaSets)
        .patch(metadata.name, { spec: { template: { spec: { containers } } } }, { type: "strategic" });
      const { status } = await stage.of(Deployments).until("web", ({ status }) => status?.collisionCount === 1);
      expect(status?.collisionCount).toBe(1);
      expect((await untilSet(stage, "example/web:1")).metadata.name).not.toBe(metadata.name);
    },
  },
  {
    name: "deployment/8 says why it cannot create a ReplicaSet, and creates it once it can",
    async play(stage) {
      await stage
        .of(ResourceQuotas)
        .create({ metadata: { name: "none" }, spec: { hard: { "count/replicasets.apps": "0" } } });
      await stage.standIn("resourcequota-controller", async () => {
        const status = { hard: { "count/replicasets.apps": "0" }, used: { "count/replicasets.apps": "0" } };
        await stage.of(ResourceQuotas).patch("none", { status }, { subresource: "status" });
      });
      await stage.of(ResourceQuotas).until("none", ({ status }) => status?.used !== undefined);
      await createDeployment(stage, 1);
      const failed = await untilProgress(stage, "ReplicaSetCreateError");
      expect(condition(failed, "Progressing")?.message).toMatch(
        /^Failed to create new replica set "web-.*exceeded quota/,
      );
      await stage.event("ReplicaSetCreateError");
      await stage.untilRefused(REFUSALS);
      await stage.settle();
      await stage.of(ResourceQuotas).delete("none");
      await untilSize(stage, "example/web:1", 1);
    },
  },
  {
    name: "workloads/S13, deployment/3 adopts a ReplicaSet of its template, and releases it when its labels change",
    async play(stage) {
      const labels = { app: "web", "pod-template-hash": "mine" };
      await stage.of(ReplicaSets).create({
        metadata: { name: "orphan", labels },
        spec: {
          replicas: 1,
          selector: { matchLabels: labels },
          template: { ...template("example/web:1"), metadata: { labels } },
        },
      });
      await stage.settle();
      const { metadata } = await createDeployment(stage, 1);
      const isAdopted = (set: Parameters<typeof getControllerOf>[0]): boolean =>
        getControllerOf(set)?.uid === metadata.uid;
      await stage.of(ReplicaSets).until("orphan", isAdopted);
      await stage.of(Deployments).until("web", ({ status }) => status?.replicas === 1);
      await stage.settle();
      expect(await stage.of(ReplicaSets).list()).toHaveLength(1);
      await stage.of(ReplicaSets).patch("orphan", { metadata: { labels: { app: "other" } } });
      await stage.of(ReplicaSets).until("orphan", (set) => !isAdopted(set));
      await stage.of(ReplicaSets).untilAll((sets) => sets.some(isAdopted));
    },
  },
  {
    name: "deployment/2, deployment/16 only keeps its status while it is being deleted",
    chance: [
      {
        where: /deployments web › .*metadata\.finalizers/,
        reason: "the garbage collector removes the finalizer orphan meanwhile",
      },
    ],
    async play(stage) {
      await createDeployment(stage, 1);
      await untilSize(stage, "example/web:1", 1);
      await stage.settle();
      await stage.of(Deployments).patch("web", { metadata: { finalizers: ["example.com/hold"] } });
      await stage.of(Deployments).delete("web", { propagationPolicy: "Orphan" });
      await setImage(stage, "example/web:2");
      await stage
        .of(Deployments)
        .until("web", ({ status, metadata }) => status?.observedGeneration === metadata.generation);
      await stage.settle();
      const sets = await stage.of(ReplicaSets).list();
      expect(sets.map(({ spec }) => spec?.template?.spec?.containers[0]?.image)).toEqual(["example/web:1"]);
      await stage.of(Deployments).patch("web", { metadata: { finalizers: null } });
      await stage.of(Deployments).untilGone("web");
    },
  },
  {
    name: "deployment/18 has the failure of its ReplicaSet as its last condition while it lasts",
    async play(stage) {
      await quotaOfPods(stage, 0);
      await stage.settle();
      await createDeployment(stage, 1);
      const failing = await stage
        .of(Deployments)
        .until("web", (deployment) => condition(deployment, "ReplicaFailure") !== undefined);
      expect(condition(failing, "ReplicaFailure")).toMatchObject({ status: "True", reason: "FailedCreate" });
      expect(condition(failing, "ReplicaFailure")?.message).toContain("exceeded quota");
      await stage.untilRefused(REFUSALS);
      await stage.settle();
      await stage.of(ResourceQuotas).delete("pods");
      await becomeReady(stage, "example/web:1", 1);
      const complete = await untilComplete(stage, 1);
      expect(condition(complete, "ReplicaFailure")).toBeUndefined();
    },
  },
  {
    name: "deployment/5, deployment/traps writes its revision through the status alone, and follows an annotation that changes",
    async play(stage) {
      await createDeployment(stage, 0);
      const before = await stage
        .of(Deployments)
        .until("web", ({ metadata }) => metadata.annotations?.[REVISION] === "1");
      await untilComplete(stage, 0);
      await stage.settle();
      await stage.of(Deployments).patch("web", { metadata: { annotations: { team: "blue" } } });
      const after = await untilComplete(stage, 0);
      expect(after.metadata.generation).toBe((before.metadata.generation ?? 0) + 1);
      await untilSet(stage, "example/web:1", ({ metadata }) => metadata.annotations?.team === "blue");
      await stage.settle();
      await stage.calm(async () => {
        const own = (await stage.writes()).filter(({ resource }) => resource.startsWith("deployments"));
        expect(new Set(own.map(({ resource }) => resource))).toEqual(new Set(["deployments/status"]));
      });
    },
  },
  {
    name: "deployment/about, deployment/16 does not tell how many pods terminate without the gate",
    profile: "older-workloads",
    async play(stage) {
      await createDeployment(stage, 1);
      await becomeReady(stage, "example/web:1", 1);
      const { status } = await untilComplete(stage, 1);
      expect(status).not.toHaveProperty("terminatingReplicas");
    },
  },
  {
    name: "deployment/tests takes its size from the scale subresource, and its status from the status subresource",
    async play(stage) {
      await rolledOut(stage);
      await stage.settle();
      const deployments = stage.of(Deployments);
      const scale = await deployments.getSubresource<{ spec: object }>("web", "scale");
      await deployments.put("web", "scale", { ...scale, spec: { replicas: 2 } });
      await becomeReady(stage, "example/web:1", 2);
      await untilComplete(stage, 2);
      await stage.settle();
      const conditions = [{ type: "Mine", status: "True" }];
      await deployments.patch("web", { status: { conditions } }, { subresource: "status", type: "strategic" });
      await stage.settle();
      expect(condition(await deployments.get("web"), "Mine")?.status).toBe("True");
    },
  },
];
