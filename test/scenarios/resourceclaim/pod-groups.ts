// Claims of pod groups, behind the gate DRAWorkloadResourceClaims.

import { expect } from "vitest";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { ResourceClaims } from "#api/generated/resources/resource-v1.ts";
import { PodGroups } from "#api/generated/resources/scheduling-v1alpha2.ts";
import type { ObjectOf } from "#api/resource.ts";
import {
  allocate,
  createClaim,
  createTemplate,
  createUser,
  generatedClaim,
  isAllocated,
  LEFT_FINALIZER,
  sourceOf,
} from "#test/stage/devices.ts";
import { RETRIED, type ScenarioText } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";

type StoredGroup = ObjectOf<typeof PodGroups>;

function createGroup(stage: Stage, name: string, entries: Readonly<Record<string, string>>): Promise<StoredGroup> {
  const resourceClaims = Object.entries(entries).map(([entry, source]) => ({ name: entry, ...sourceOf(source) }));
  const spec = { schedulingPolicy: { basic: {} }, resourceClaims };
  return stage.of(PodGroups).create({ metadata: { name }, spec });
}

const member = (podGroupName: string) => ({ schedulingGroup: { podGroupName } });

const consumer = ({ metadata: { name, uid } }: StoredGroup) => ({
  apiGroup: "scheduling.k8s.io",
  resource: "podgroups",
  name,
  uid,
});

/** Removes the finalizer as the protection controller would. */
async function removeGroup(stage: Stage, name: string): Promise<void> {
  await stage.of(PodGroups).patch(name, { metadata: { finalizers: null } });
  await stage.of(PodGroups).delete(name);
}

export const podGroups: readonly ScenarioText[] = [
  {
    profile: "alpha",
    name: "resourceclaim/12 makes one claim for a group, and its pods copy the name",
    async play(stage) {
      await createTemplate(stage, "gpu");
      await stage.settle();
      const group = await createGroup(stage, "gang", { card: "from:gpu" });
      const claim = await generatedClaim(stage, "card");
      expect(claim.metadata.ownerReferences).toEqual([
        {
          apiVersion: "scheduling.k8s.io/v1alpha2",
          kind: "PodGroup",
          name: "gang",
          uid: group.metadata.uid,
          controller: true,
        },
      ]);
      const status = { name: "card", resourceClaimName: claim.metadata.name };
      await stage.of(PodGroups).until("gang", (group) => group.status?.resourceClaimStatuses?.length === 1);
      expect((await stage.of(PodGroups).get("gang")).status?.resourceClaimStatuses).toEqual([status]);
      await stage.settle();
      await createUser(stage, "worker", { card: "from:gpu" }, member("gang"));
      await stage.of(Pods).until("worker", (pod) => pod.status?.resourceClaimStatuses?.length === 1);
      expect((await stage.of(Pods).get("worker")).status?.resourceClaimStatuses).toEqual([status]);
      expect(await stage.of(ResourceClaims).list()).toHaveLength(1);
    },
  },
  {
    profile: "alpha",
    name: "resourceclaim/12 makes a claim for a pod whose entry is not its group's",
    async play(stage) {
      await createTemplate(stage, "gpu");
      await createTemplate(stage, "disk");
      await createGroup(stage, "gang", { card: "from:gpu" });
      await generatedClaim(stage, "card", "gang");
      await stage.settle();
      await createUser(stage, "worker", { card: "from:disk" }, member("gang"));
      const claim = await generatedClaim(stage, "card", "worker");
      await stage.of(Pods).until("worker", ({ status }) => {
        return status?.resourceClaimStatuses?.[0]?.resourceClaimName === claim.metadata.name;
      });
    },
  },
  {
    profile: "alpha",
    chance: [RETRIED],
    name: "resourceclaim/12, resourceclaim/11 tells of a missing template of a group, and makes the claim when the template is there",
    async play(stage) {
      await createGroup(stage, "gang", { card: "from:gpu" });
      const why = 'resource claim template "gpu": resourceclaimtemplate.resource.k8s.io "gpu" not found';
      await stage.event("FailedResourceClaimCreation", ({ message, involvedObject }) => {
        return message === `PodGroupResourceClaim card: ${why}` && involvedObject.kind === "PodGroup";
      });
      await stage.settle();
      await createTemplate(stage, "gpu");
      await generatedClaim(stage, "card");
      await stage.of(PodGroups).until("gang", ({ status }) => status?.resourceClaimStatuses?.length === 1);
    },
  },
  {
    profile: "alpha",
    name: "resourceclaim/7, resourceclaim/12 reserves the claim that a pod on a node shares with its group for the group",
    async play(stage) {
      await createClaim(stage, "shared");
      await allocate(stage, "shared");
      const group = await createGroup(stage, "gang", { gpu: "shared" });
      await stage.settle();
      await createUser(stage, "worker", { gpu: "shared" }, { ...member("gang"), nodeName: "node-1" });
      const claim = await stage.of(ResourceClaims).until("shared", ({ status }) => status?.reservedFor !== undefined);
      expect(claim.status?.reservedFor).toEqual([consumer(group)]);
    },
  },
  {
    profile: "alpha",
    exceptions: [LEFT_FINALIZER],
    name: "resourceclaim/8, resourceclaim/12 releases the claim of a group that is gone",
    async play(stage) {
      await createClaim(stage, "shared");
      const group = await createGroup(stage, "gang", { gpu: "shared" });
      await allocate(stage, "shared", { reservedFor: [consumer(group)] });
      await stage.settle();
      expect(isAllocated(await stage.of(ResourceClaims).get("shared"))).toBe(true);
      await removeGroup(stage, "gang");
      await stage.of(ResourceClaims).until("shared", (claim) => !isAllocated(claim));
    },
  },
  {
    profile: "alpha",
    exceptions: [LEFT_FINALIZER],
    name: "resourceclaim/8, resourceclaim/12 drops reservations of groups that never were",
    async play(stage) {
      await createClaim(stage, "shared");
      await stage.settle();
      const uid = "11111111-2222-4333-8444-555555555555";
      const nobody = { apiGroup: "scheduling.k8s.io", resource: "podgroups", name: "nobody", uid };
      await allocate(stage, "shared", { reservedFor: [nobody] });
      await stage.of(ResourceClaims).until("shared", (claim) => !isAllocated(claim));
    },
  },
];
