// Claims from templates, their names in the status of pods, and reservations for pods on nodes.

import { expect } from "vitest";
import { Pods, ResourceQuotas } from "#api/generated/resources/core-v1.ts";
import { ResourceClaims, ResourceClaimTemplates } from "#api/generated/resources/resource-v1.ts";
import {
  allocate,
  consumer,
  createClaim,
  createTemplate,
  createUser,
  generatedClaim,
  LEFT_FINALIZER,
} from "#test/stage/devices.ts";
import { type StoredPod, setPodStatus } from "#test/stage/pods.ts";
import { REFUSALS, RETRIED, type ScenarioText } from "#test/stage/scenario.ts";

const names = (entry: string, claim: string) => (pod: StoredPod) =>
  pod.status?.resourceClaimStatuses?.some((one) => one.name === entry && one.resourceClaimName === claim) ?? false;

export const creation: readonly ScenarioText[] = [
  {
    name: "resourceclaim/3, resourceclaim/4, resourceclaim/watches, resourceclaim/writes, resourceclaim/queues makes a claim from a template and names it in the pod's status",
    async play(stage) {
      await createTemplate(stage, "gpu", { labels: { kind: "gpu" }, annotations: { note: "mine" } });
      await stage.settle();
      const pod = await createUser(stage, "user", { card: "from:gpu" });
      const claim = await generatedClaim(stage, "card");
      expect(claim.metadata.generateName).toBe("user-card-");
      expect(claim.metadata.labels).toEqual({ kind: "gpu" });
      expect(claim.metadata.annotations).toEqual({ note: "mine", "resource.kubernetes.io/pod-claim-name": "card" });
      expect(claim.metadata.ownerReferences).toEqual([
        { apiVersion: "v1", kind: "Pod", name: "user", uid: pod.metadata.uid, controller: true },
      ]);
      await stage.of(Pods).until("user", names("card", claim.metadata.name));
    },
  },
  {
    name: "resourceclaim/4 cuts long names of pods and entries in proportion",
    async play(stage) {
      await createTemplate(stage, "gpu");
      await stage.settle();
      const [pod, entry] = [`p${"o".repeat(49)}d`, `e${"n".repeat(23)}y`];
      await createUser(stage, pod, { [entry]: "from:gpu" });
      const claim = await generatedClaim(stage, entry);
      expect(claim.metadata.generateName).toBe(`p${"o".repeat(36)}-e${"n".repeat(17)}`);
      await stage.of(Pods).until(pod, names(entry, claim.metadata.name));
    },
  },
  {
    name: "resourceclaim/1, resourceclaim/3 makes nothing for pods that name their claims, or have none",
    async play(stage) {
      await createClaim(stage, "shared");
      await createUser(stage, "plain", {});
      await createUser(stage, "user", { gpu: "shared", later: "missing" });
      await stage.settle();
      expect(await stage.of(ResourceClaims).list()).toHaveLength(1);
      await stage.calm(async () => expect(await stage.writes()).toEqual([]));
    },
  },
  {
    chance: [RETRIED],
    name: "resourceclaim/6, resourceclaim/11, resourceclaim/events tells of a missing template, and makes the claim when the template is there",
    async play(stage) {
      await createUser(stage, "user", { card: "from:gpu" });
      const why = 'resource claim template "gpu": resourceclaimtemplate.resource.k8s.io "gpu" not found';
      await stage.event("FailedResourceClaimCreation", ({ message, type, source }) => {
        return (
          message === `PodResourceClaim card: ${why}` && type === "Warning" && source?.component === "resource_claim"
        );
      });
      await stage.settle();
      await createTemplate(stage, "gpu");
      const claim = await generatedClaim(stage, "card");
      await stage.of(Pods).until("user", names("card", claim.metadata.name));
    },
  },
  {
    chance: [RETRIED],
    name: "resourceclaim/6 refuses a template with alternatives while the manager's gate is off",
    profile: "no-alternatives",
    async play(stage) {
      const firstAvailable = ["large", "small"].map((name) => ({ name, deviceClassName: `${name}.example.com` }));
      const spec = { devices: { requests: [{ name: "gpu", firstAvailable }] } };
      await stage.of(ResourceClaimTemplates).create({ metadata: { name: "either" }, spec: { spec } });
      await createTemplate(stage, "gpu");
      await stage.settle();
      await createUser(stage, "user", { card: "from:gpu", other: "from:either" });
      const why = "template includes a prioritized list of subrequests, but the feature is disabled";
      await stage.event("FailedResourceClaimCreation", ({ message }) => message === `PodResourceClaim other: ${why}`);
      await stage.settle();
      expect(await stage.of(ResourceClaims).list()).toHaveLength(1);
      expect((await stage.of(Pods).get("user")).status?.resourceClaimStatuses).toBeUndefined();
    },
  },
  {
    chance: [RETRIED],
    name: "resourceclaim/3, resourceclaim/tests takes a claim of the pod that the status does not name yet",
    async play(stage) {
      const pod = await createUser(stage, "user", { card: "from:gpu" });
      await stage.event("FailedResourceClaimCreation");
      await stage.settle();
      const { uid } = pod.metadata;
      await createClaim(stage, "made-before", {
        annotations: { "resource.kubernetes.io/pod-claim-name": "card" },
        ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "user", uid, controller: true }],
      });
      await stage.settle();
      await createTemplate(stage, "gpu");
      await stage.of(Pods).until("user", names("card", "made-before"));
      expect(await stage.of(ResourceClaims).list()).toHaveLength(1);
    },
  },
  {
    name: "resourceclaim/3, resourceclaim/tests does not take claims of other pods, and of none",
    async play(stage) {
      const other = await createUser(stage, "other", {});
      const annotations = { "resource.kubernetes.io/pod-claim-name": "card" };
      const owner = { apiVersion: "v1", kind: "Pod", name: "other", uid: other.metadata.uid, controller: true };
      await createClaim(stage, "of-other", { annotations, ownerReferences: [owner] });
      await createClaim(stage, "of-none", { annotations });
      await createTemplate(stage, "gpu");
      await stage.settle();
      await createUser(stage, "user", { card: "from:gpu" });
      const claim = await generatedClaim(stage, "card", "user");
      await stage.of(Pods).until("user", names("card", claim.metadata.name));
    },
  },
  {
    chance: [RETRIED],
    name: "resourceclaim/3 makes a claim where the status names one that is not there",
    async play(stage) {
      await createUser(stage, "user", { card: "from:gpu" });
      await stage.event("FailedResourceClaimCreation");
      await stage.settle();
      const resourceClaimStatuses = [{ name: "card", resourceClaimName: "lost" }];
      await setPodStatus(stage, "user", { resourceClaimStatuses });
      await stage.settle();
      await createTemplate(stage, "gpu");
      const claim = await generatedClaim(stage, "card");
      await stage.of(Pods).until("user", names("card", claim.metadata.name));
    },
  },
  {
    chance: [
      RETRIED,
      { where: /resourceClaimStatuses/, reason: "upstream lists the entries in the order of a Go map" },
    ],
    name: "resourceclaim/5 names the claims of all entries in one apply, and none before all are made",
    async play(stage) {
      await createTemplate(stage, "gpu");
      await stage.settle();
      await createUser(stage, "user", { card: "from:gpu", disk: "from:ssd" });
      const card = await generatedClaim(stage, "card");
      await stage.event("FailedResourceClaimCreation");
      await stage.settle();
      expect((await stage.of(Pods).get("user")).status?.resourceClaimStatuses).toBeUndefined();
      await createTemplate(stage, "ssd");
      const disk = await generatedClaim(stage, "disk");
      await stage.of(Pods).until("user", names("card", card.metadata.name));
      await stage.of(Pods).until("user", names("disk", disk.metadata.name));
      expect(await stage.of(ResourceClaims).list()).toHaveLength(2);
    },
  },
  {
    chance: [RETRIED],
    name: "resourceclaim/6, resourceclaim/metrics tells of claims that the server refuses, and tries again",
    async play(stage) {
      const hard = { "count/resourceclaims.resource.k8s.io": "0" };
      await stage.of(ResourceQuotas).create({ metadata: { name: "none" }, spec: { hard } });
      await stage.of(ResourceQuotas).patch("none", { status: { hard, used: hard } }, { subresource: "status" });
      await createTemplate(stage, "gpu");
      await stage.settle();
      await createUser(stage, "user", { card: "from:gpu" });
      await stage.event("FailedResourceClaimCreation", ({ message = "" }) =>
        message.startsWith('PodResourceClaim card: create ResourceClaim : resourceclaims.resource.k8s.io "user-card-'),
      );
      await stage.untilRefused(REFUSALS);
      await stage.settle();
      await stage.of(ResourceQuotas).delete("none");
      const claim = await generatedClaim(stage, "card");
      await stage.of(Pods).until("user", names("card", claim.metadata.name));
    },
  },
  {
    exceptions: [LEFT_FINALIZER],
    name: "resourceclaim/7, resourceclaim/tests reserves an allocated claim for a pod that is on a node already",
    async play(stage) {
      await createClaim(stage, "shared");
      await allocate(stage, "shared");
      await stage.settle();
      const pod = await createUser(stage, "user", { gpu: "shared" }, { nodeName: "node-1" });
      const claim = await stage.of(ResourceClaims).until("shared", ({ status }) => status?.reservedFor !== undefined);
      expect(claim.status?.reservedFor).toEqual([consumer(pod)]);
    },
  },
  {
    name: "resourceclaim/7 leaves claims to the scheduler that are not allocated, or whose pod has no node",
    async play(stage) {
      await createClaim(stage, "free");
      await createClaim(stage, "shared");
      await allocate(stage, "shared");
      await stage.settle();
      await createUser(stage, "waiting", { gpu: "shared" });
      await createUser(stage, "user", { gpu: "free" }, { nodeName: "node-1" });
      await stage.settle();
      for (const name of ["free", "shared"]) {
        expect((await stage.of(ResourceClaims).get(name)).status?.reservedFor).toBeUndefined();
      }
      await stage.calm(async () => expect(await stage.writes()).toEqual([]));
    },
  },
  {
    name: "resourceclaim/7, resourceclaim/traps adds its pod to the reservations of others",
    async play(stage) {
      await createClaim(stage, "shared");
      const first = await createUser(stage, "first", { gpu: "shared" });
      await allocate(stage, "shared", { reservedFor: [consumer(first)] });
      await stage.settle();
      const second = await createUser(stage, "second", { gpu: "shared" }, { nodeName: "node-1" });
      await stage.of(ResourceClaims).until("shared", ({ status }) => status?.reservedFor?.length === 2);
      const claim = await stage.of(ResourceClaims).get("shared");
      expect(claim.status?.reservedFor).toEqual([consumer(first), consumer(second)]);
    },
  },
];
