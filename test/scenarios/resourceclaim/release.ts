// Reservations of pods that are gone or have ended, allocations that nothing uses, and claims of ended pods.

import { expect } from "vitest";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { ResourceClaims } from "#api/generated/resources/resource-v1.ts";
import {
  allocate,
  consumer,
  createClaim,
  createTemplate,
  createUser,
  FINALIZER,
  generatedClaim,
  isAllocated,
  LEFT_FINALIZER,
} from "#test/stage/devices.ts";
import { finishDeletion, setPodStatus } from "#test/stage/pods.ts";
import type { ScenarioText } from "#test/stage/scenario.ts";

/** A write may be refused if a sync started before the cache showed that the claim lost its finalizer or is gone. */
const LATE = [
  {
    where: /resource-claim-controller: \{play\} resourceclaims [^ ]+ › \d$/,
    reason: "a sync of a claim that the cache still shows is refused by 404 or 409, in some runs",
  },
];

export const release: readonly ScenarioText[] = [
  {
    exceptions: [LEFT_FINALIZER],
    name: "resourceclaim/2, resourceclaim/8, resourceclaim/9 deallocates a claim when its last user has ended",
    async play(stage) {
      await createClaim(stage, "shared");
      const users = [await createUser(stage, "a", { gpu: "shared" }), await createUser(stage, "b", { gpu: "shared" })];
      await allocate(stage, "shared", { reservedFor: users.map(consumer) });
      await stage.settle();
      await setPodStatus(stage, "a", { phase: "Succeeded" });
      await stage.of(ResourceClaims).until("shared", ({ status }) => status?.reservedFor?.length === 1);
      await stage.settle();
      expect(isAllocated(await stage.of(ResourceClaims).get("shared"))).toBe(true);
      await setPodStatus(stage, "b", { phase: "Failed" });
      await stage.of(ResourceClaims).until("shared", (claim) => !isAllocated(claim));
      await stage.settle();
      await stage.calm(async () => {
        expect((await stage.of(ResourceClaims).get("shared")).metadata.finalizers).toBeUndefined();
      });
    },
  },
  {
    name: "resourceclaim/7, resourceclaim/8 does not reserve a shared claim again for a pod on a node that has ended",
    virtualOnly: "upstream's manager reserves and releases the claim without a pause",
    async play(stage) {
      await createClaim(stage, "shared");
      const ended = await createUser(stage, "ended", { gpu: "shared" }, { nodeName: "node-1" });
      const running = await createUser(stage, "running", { gpu: "shared" });
      await allocate(stage, "shared", { reservedFor: [consumer(ended), consumer(running)] });
      await stage.settle();
      await setPodStatus(stage, "ended", { phase: "Succeeded" });
      await stage.of(ResourceClaims).until("shared", ({ status }) => status?.reservedFor?.length === 1);
      await stage.settle();
      expect((await stage.of(ResourceClaims).get("shared")).status?.reservedFor).toEqual([consumer(running)]);
    },
  },
  {
    exceptions: [LEFT_FINALIZER],
    name: "resourceclaim/2, resourceclaim/8 releases the claims of a pod that is gone, and keeps them while it is deleted",
    async play(stage) {
      await createClaim(stage, "shared");
      const user = await createUser(stage, "user", { gpu: "shared" }, { nodeName: "node-1" });
      await allocate(stage, "shared", { reservedFor: [consumer(user)] });
      await stage.settle();
      await stage.of(Pods).delete("user");
      await stage.settle();
      expect((await stage.of(ResourceClaims).get("shared")).status?.reservedFor).toHaveLength(1);
      await finishDeletion(stage, "user");
      await stage.of(ResourceClaims).until("shared", (claim) => !isAllocated(claim));
    },
  },
  {
    exceptions: [
      LEFT_FINALIZER,
      {
        where: /creates and deletes › pod-garbage-collector/,
        reason: "a play that takes longer meets a round of pod garbage collection",
      },
    ],
    name: "resourceclaim/2, resourceclaim/8 releases the claims of a pod that was deleted before it had a node",
    async play(stage) {
      await createClaim(stage, "shared");
      const user = await createUser(stage, "user", { gpu: "shared" }, {}, { finalizers: ["example.com/hold"] });
      await allocate(stage, "shared", { reservedFor: [consumer(user)] });
      await stage.settle();
      await stage.of(Pods).delete("user");
      await stage.of(ResourceClaims).until("shared", (claim) => !isAllocated(claim));
      await stage.settle();
      await stage.of(Pods).patch("user", { metadata: { finalizers: null } });
    },
  },
  {
    exceptions: [LEFT_FINALIZER],
    name: "resourceclaim/8, resourceclaim/reads-live drops reservations of pods that never were, and of pods of that name before",
    async play(stage) {
      const user = await createUser(stage, "user", {});
      await createClaim(stage, "stale");
      await createClaim(stage, "replaced");
      await stage.settle();
      const uid = "11111111-2222-4333-8444-555555555555";
      await allocate(stage, "stale", { reservedFor: [{ resource: "pods", name: "nobody", uid }] });
      await stage.of(ResourceClaims).until("stale", (claim) => !isAllocated(claim));
      await stage.settle();
      await allocate(stage, "replaced", { reservedFor: [{ ...consumer(user), uid }, consumer(user)] });
      await stage.of(ResourceClaims).until("replaced", ({ status }) => status?.reservedFor?.length === 1);
      expect((await stage.of(ResourceClaims).get("replaced")).status?.reservedFor).toEqual([consumer(user)]);
    },
  },
  {
    name: "resourceclaim/8, resourceclaim/reads-live keeps the reservation of a pod that the cache does not show yet",
    alone: true,
    async play(stage) {
      await createClaim(stage, "shared");
      await stage.settle();
      stage.hold(Pods);
      const user = await createUser(stage, "user", { gpu: "shared" });
      await allocate(stage, "shared", { reservedFor: [consumer(user)] });
      await stage.calm(() => stage.untilRead(Pods, "user"));
      await stage.settle();
      expect((await stage.of(ResourceClaims).get("shared")).status?.reservedFor).toEqual([consumer(user)]);
      stage.release(Pods);
    },
  },
  {
    name: "resourceclaim/8 keeps reservations of consumers that it does not know",
    async play(stage) {
      await createClaim(stage, "shared");
      const user = await createUser(stage, "user", { gpu: "shared" });
      const uid = "11111111-2222-4333-8444-555555555555";
      const other = { apiGroup: "example.com", resource: "things", name: "thing", uid };
      await allocate(stage, "shared", { reservedFor: [other, consumer(user)] });
      await stage.settle();
      await setPodStatus(stage, "user", { phase: "Succeeded" });
      await stage.of(ResourceClaims).until("shared", ({ status }) => status?.reservedFor?.length === 1);
      const claim = await stage.of(ResourceClaims).get("shared");
      expect(claim.status?.reservedFor).toEqual([other]);
      expect(isAllocated(claim)).toBe(true);
    },
  },
  {
    name: "resourceclaim/9, resourceclaim/traps keeps the allocation of an unused claim until the claim is deleted",
    async play(stage) {
      await createClaim(stage, "early", { finalizers: ["example.com/hold"] });
      await allocate(stage, "early");
      await stage.settle();
      expect(isAllocated(await stage.of(ResourceClaims).get("early"))).toBe(true);
      await stage.of(ResourceClaims).delete("early");
      await stage.of(ResourceClaims).until("early", ({ metadata }) => metadata.finalizers?.length === 1);
      const claim = await stage.of(ResourceClaims).get("early");
      expect(claim.metadata.finalizers).toEqual(["example.com/hold"]);
      expect(isAllocated(claim)).toBe(false);
    },
  },
  {
    chance: LATE,
    name: "resourceclaim/9 lets a deleted claim go when its last user has ended, and no earlier",
    async play(stage) {
      await createClaim(stage, "shared");
      const user = await createUser(stage, "user", { gpu: "shared" });
      await allocate(stage, "shared", { reservedFor: [consumer(user)] });
      await stage.settle();
      await stage.of(ResourceClaims).delete("shared");
      await stage.settle();
      const claim = await stage.of(ResourceClaims).get("shared");
      expect(claim.metadata.finalizers).toEqual([FINALIZER]);
      expect(isAllocated(claim)).toBe(true);
      await setPodStatus(stage, "user", { phase: "Succeeded" });
      await stage.of(ResourceClaims).untilGone("shared");
    },
  },
  {
    chance: LATE,
    exceptions: [
      {
        where: /creates and deletes › resource-claim-controller|resourceClaimStatuses/,
        reason: "upstream's podNeedsWork does not ask for the phase: after a restart it makes the claim once more",
      },
      {
        where: /later writes › resource-claim-controller: patch pods/,
        reason:
          "upstream applies the unchanged status at each event of the pod, and this stage relists after each write",
      },
    ],
    name: "resourceclaim/10 deletes the generated claim of a pod that has ended",
    async play(stage) {
      await createTemplate(stage, "gpu");
      await stage.settle();
      const user = await createUser(stage, "user", { card: "from:gpu" });
      const { name } = (await generatedClaim(stage, "card")).metadata;
      stage.call(name, "made");
      await stage.of(Pods).until("user", ({ status }) => status?.resourceClaimStatuses !== undefined);
      await stage.settle();
      await allocate(stage, name, { reservedFor: [consumer(user)] });
      await stage.settle();
      await setPodStatus(stage, "user", { phase: "Succeeded" });
      await stage.of(ResourceClaims).untilGone(name);
      expect(await stage.of(Pods).find("user")).toBeDefined();
    },
  },
  {
    name: "resourceclaim/10 deletes the generated claim of a pod whose name another pod has, and leaves others to the garbage collector",
    async play(stage) {
      const user = await createUser(stage, "user", {});
      const uid = "11111111-2222-4333-8444-555555555555";
      const owner = (name: string) => [{ apiVersion: "v1", kind: "Pod", name, uid, controller: true }];
      await stage.settle();
      await createClaim(stage, "replaced", { ownerReferences: owner(user.metadata.name) });
      await createClaim(stage, "unknown", { ownerReferences: owner("nobody") });
      await stage.of(ResourceClaims).untilGone("replaced");
      await stage.settle();
      expect(await stage.of(ResourceClaims).find("unknown")).toBeDefined();
    },
  },
  {
    chance: LATE,
    name: "resourceclaim/1, resourceclaim/2 releases the claim that the scheduler made for extended resources",
    async play(stage) {
      const name = "example.com/gpu";
      const resources = { requests: { [name]: "1" }, limits: { [name]: "1" } };
      const containers = [{ name: "main", image: "example/web:1", resources }];
      const user = await stage.of(Pods).create({ metadata: { name: "user" }, spec: { containers } });
      const { uid } = user.metadata;
      await createClaim(stage, "extended", {
        annotations: { "resource.kubernetes.io/extended-resource-claim": "true" },
        ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "user", uid, controller: true }],
      });
      await allocate(stage, "extended", { reservedFor: [consumer(user)] });
      await setPodStatus(stage, "user", {
        extendedResourceClaimStatus: {
          resourceClaimName: "extended",
          requestMappings: [{ containerName: "main", resourceName: name, requestName: "gpu" }],
        },
      });
      await stage.settle();
      expect(isAllocated(await stage.of(ResourceClaims).get("extended"))).toBe(true);
      await setPodStatus(stage, "user", { phase: "Succeeded" });
      await stage.of(ResourceClaims).untilGone("extended");
    },
  },
];
