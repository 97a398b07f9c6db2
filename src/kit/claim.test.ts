import { describe, expect, it } from "vitest";
import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import type { ObjectMeta } from "#api/meta.ts";
import { newControllerRef } from "#api/owner-refs.ts";
import type { ObjectOf } from "#api/resource.ts";
import { ApiError } from "#api/status-error.ts";
import { stored } from "#api/testing.ts";
import { type ClaimOptions, claim } from "./claim.ts";

type StoredPod = ObjectOf<typeof Pods>;
type StoredReplicaSet = ObjectOf<typeof ReplicaSets>;

const owner = stored(ReplicaSets, { metadata: { name: "rs", uid: "u1" } });
const ref = newControllerRef(owner, ReplicaSets);

function pod(name: string, extra: ObjectMeta = {}): StoredPod {
  return stored(Pods, { metadata: { name, labels: { app: "web" }, ...extra } });
}

interface World {
  readonly patches: { name: string; patch: object }[];
  liveReads: number;
  run(objects: readonly StoredPod[], more?: Partial<ClaimOptions<StoredPod, StoredReplicaSet>>): Promise<string[]>;
}

function setUp(): World {
  const world: World = {
    patches: [],
    liveReads: 0,
    async run(objects, more = {}) {
      const claimed = await claim(objects, {
        owner,
        ownerResource: ReplicaSets,
        resource: Pods,
        matches: (object) => object.metadata.labels?.app === "web",
        readOwnerLive: async () => {
          world.liveReads++;
          return owner;
        },
        patch: async (object, patch) => void world.patches.push({ name: object.metadata.name, patch }),
        ...more,
      });
      return claimed.map((object) => object.metadata.name);
    },
  };
  return world;
}

const other = { ...ref, uid: "u2" };
const error = (code: number, reason: string): ApiError => new ApiError({ code, reason, message: reason });

describe("workloads/tests claim", () => {
  it("workloads/S13 keeps its own objects, ignores those of others, releases objects that no longer match, adopts orphans", async () => {
    const world = setUp();
    const claimed = await world.run([
      pod("own", { ownerReferences: [ref] }),
      pod("others", { ownerReferences: [other] }),
      pod("stray", { ownerReferences: [ref], labels: {} }),
      pod("orphan"),
      pod("unlike", { labels: {} }),
      pod("dying", { deletionTimestamp: "2026-01-01T00:00:00Z" }),
      pod("elsewhere", { namespace: "other" }),
    ]);
    expect(claimed).toEqual(["own", "orphan"]);
    expect(world.patches.map(({ name }) => name)).toEqual(["stray", "orphan"]);
  });

  it("workloads/S13 a deleting owner keeps what it has and does nothing else", async () => {
    const world = setUp();
    const dying = { ...owner, metadata: { ...owner.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
    const objects = [
      pod("own", { ownerReferences: [ref] }),
      pod("stray", { ownerReferences: [ref], labels: {} }),
      pod("orphan"),
    ];
    expect(await world.run(objects, { owner: dying })).toEqual(["own"]);
    expect(world.patches).toEqual([]);
  });

  it("workloads/S13 keeps its objects that are being deleted; an owner without a namespace claims in all", async () => {
    const world = setUp();
    const dying = { deletionTimestamp: "2026-01-01T00:00:00Z" };
    expect(await world.run([pod("own", { ownerReferences: [ref], ...dying }), pod("orphan", dying)])).toEqual(["own"]);
    expect(world.patches).toEqual([]);
    const clusterScoped = stored(ReplicaSets, { metadata: { ...owner.metadata, namespace: "" } });
    const objects = [pod("here"), pod("elsewhere", { namespace: "other" })];
    expect(await world.run(objects, { owner: clusterScoped })).toEqual(["here", "elsewhere"]);
  });

  it("workloads/S13 an owner among others, or one that is no controller, leaves an object as its controller has it", async () => {
    const world = setUp();
    const { controller: _, blockOwnerDeletion: __, ...plain } = ref;
    const others = [{ ...other, controller: false }, other];
    const claimed = await world.run([
      pod("claimed", { ownerReferences: [{ ...other, controller: false }, ref] }),
      pod("stray", { ownerReferences: [{ ...other, controller: false }, ref], labels: { app: "api" } }),
      pod("other-controller", { ownerReferences: [plain, other] }),
      pod("other-twice", { ownerReferences: others }),
      pod("not-controlled", { ownerReferences: [plain] }),
    ]);
    expect(claimed).toEqual(["claimed", "not-controlled"]);
    expect(world.patches.map(({ name }) => name)).toEqual(["stray", "not-controlled"]);
  });

  it("workloads/S14 reads the owner live once before it adopts, and refuses when it is gone", async () => {
    const world = setUp();
    await world.run([pod("a"), pod("b")]);
    expect(world.liveReads).toBe(1);
    await world.run([pod("own", { ownerReferences: [ref] })]);
    expect(world.liveReads).toBe(1);

    const gone = world.run([pod("a")], {
      readOwnerLive: async () => stored(ReplicaSets, { metadata: { name: "rs", uid: "u9" } }),
    });
    await expect(gone).rejects.toThrow(
      "can't adopt Pod ns/a (uid-a): can't recheck DeletionTimestamp: original ReplicaSet ns/rs is gone: got uid u9, wanted u1",
    );
    const deleted = { ...owner, metadata: { ...owner.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
    await expect(world.run([pod("a")], { readOwnerLive: async () => deleted })).rejects.toThrow(
      "can't adopt Pod ns/a (uid-a): ns/rs has just been deleted at 2026-01-01 00:00:00 +0000 UTC",
    );
  });

  it("workloads/S15 a release that fails otherwise fails the claim, after all else was tried", async () => {
    const world = setUp();
    const stray = { ownerReferences: [ref], labels: {} };
    const tried: string[] = [];
    const patch = async ({ metadata }: StoredPod): Promise<void> => {
      tried.push(metadata.name);
      throw error(metadata.name === "a" ? 500 : 409, metadata.name === "a" ? "InternalError" : "Conflict");
    };
    const failure = await world.run([pod("a", stray), pod("b", stray)], { patch }).catch(String);
    expect([failure, tried]).toEqual(["AggregateOperationError: [InternalError, Conflict]", ["a", "b"]]);
  });

  it("workloads/S15 patches carry the UID; release ignores 404 and 422", async () => {
    const world = setUp();
    await world.run([pod("orphan"), pod("stray", { ownerReferences: [ref], labels: {} })], { finalizers: ["x/y"] });
    expect(world.patches).toEqual([
      { name: "orphan", patch: { metadata: { uid: "uid-orphan", ownerReferences: [ref], finalizers: ["x/y"] } } },
      {
        name: "stray",
        patch: {
          metadata: {
            uid: "uid-stray",
            ownerReferences: [{ $patch: "delete", uid: "u1" }],
            "$deleteFromPrimitiveList/finalizers": ["x/y"],
          },
        },
      },
    ]);
    const stray = pod("stray", { ownerReferences: [ref], labels: {} });
    for (const [code, reason] of [
      [404, "NotFound"],
      [422, "Invalid"],
    ] as const) {
      const patch = async () => {
        throw error(code, reason);
      };
      expect(await world.run([stray], { patch })).toEqual([]);
    }
  });

  it("workloads/S13 continues after an error and reports all of them", async () => {
    const world = setUp();
    const patch = async (object: StoredPod) => {
      if (object.metadata.name === "gone") throw error(404, "NotFound");
      throw new Error(`no ${object.metadata.name}`);
    };
    await expect(world.run([pod("a"), pod("gone"), pod("b")], { patch })).rejects.toThrow("[no a, no b]");
    expect(await world.run([pod("gone")], { patch })).toEqual([]);
  });
});
