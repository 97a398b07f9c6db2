import { describe, expect, it } from "vitest";
import { ControllerRevisions, DaemonSets } from "#api/generated/resources/apps-v1.ts";
import { revisionData } from "#api/hash.ts";
import { everything } from "#api/label-selector.ts";
import { stored } from "#api/testing.ts";
import { hostTurn, neverAborted } from "#base/testing.ts";
import { createInformerFactory } from "#informers/factory.ts";
import { findSameRevisions, History, newRevision, type StoredRevision, sortedRevisions } from "#kit/history.ts";
import { World } from "#sim/world.ts";

const kind = { apiVersion: "apps/v1", kind: "DaemonSet" };
const owner = stored(DaemonSets, { metadata: { namespace: "default", name: "agent", uid: "u1" } });

const template = (image: string) => ({
  metadata: { labels: { app: "agent" } },
  spec: { containers: [{ name: "c", image }] },
});
const input = (image: string, revision: number) => ({
  owner,
  ownerResource: DaemonSets,
  templateLabels: { app: "agent" },
  data: revisionData("StatefulSet", template(image)),
  revision,
  collisionCount: 0,
});

async function setUp() {
  const world = new World({ turn: hostTurn, gates: { gates: {} } });
  const informers = createInformerFactory({
    client: world.client,
    clock: world.clock,
    rng: world.rng.fork("informers"),
  });
  const revisions = informers.informer(ControllerRevisions);
  const api = world.client.resource(ControllerRevisions);
  const history = new History({ clock: world.clock, rng: world.rng.fork("history"), revisions, api });
  informers.start();
  await world.advance(100);
  return { world, history, informers };
}

describe("controller revisions", () => {
  it("workloads/S24 the payload is the template as a replacing patch, with sorted keys", () => {
    expect(revisionData("StatefulSet", template("a<b"))).toBe(
      '{"spec":{"template":{"$patch":"replace","metadata":{"labels":{"app":"agent"}},"spec":{"containers":[{"image":"a\\u003cb","name":"c"}]}}}}',
    );
  });

  it("are sorted by number, then age, then name, and found again by payload", () => {
    const made = (name: string, revision: number, created: string, image = "a"): StoredRevision => {
      const base = newRevision(input(image, revision));
      return stored(ControllerRevisions, { ...base, metadata: { ...base.metadata, name, creationTimestamp: created } });
    };
    const a = made("a", 2, "2026-01-01T00:00:02Z");
    const b = made("b", 2, "2026-01-01T00:00:01Z");
    const c = made("c", 1, "2026-01-01T00:00:03Z", "other");
    const d = made("d", 2, "2026-01-01T00:00:01Z");
    for (const shuffled of [
      [a, d, b, c],
      [b, d, a, c],
      [d, c, b, a],
    ]) {
      expect(sortedRevisions(shuffled).map(({ metadata }) => metadata.name)).toEqual(["c", "b", "d", "a"]);
    }
    expect(findSameRevisions([a, b, c], d)).toEqual([a, b]);
  });

  it("workloads/S23 are named after their owner, as far as a name may be long, and carry the template's labels", () => {
    const long = newRevision({
      ...input("a", 1),
      owner: { ...owner, metadata: { ...owner.metadata, name: "x".repeat(230) } },
    });
    const hash = long.metadata.labels?.["controller.kubernetes.io/hash"] ?? "";
    expect(long.metadata.name).toBe(`${"x".repeat(223)}-${hash}`);
    expect(long.metadata.labels).toEqual({ app: "agent", "controller.kubernetes.io/hash": hash });
    expect(long.metadata.ownerReferences).toMatchObject([{ ...kind, controller: true, blockOwnerDeletion: true }]);
  });

  it("workloads/S23 are renumbered on the newest version when theirs is old", async () => {
    const { world, history } = await setUp();
    const { revision } = await world.do((_, signal) => history.create(owner, newRevision(input("a", 1)), 0, signal));
    const patch = { metadata: { annotations: { touched: "1" } } };
    const { namespace, name } = revision.metadata;
    await world.do((client, signal) =>
      client.resource(ControllerRevisions).patch({ namespace, name, type: "merge", patch }, signal),
    );
    await world.advance(100);
    const renumbered = await world.do((_, signal) => history.renumber(revision, 5, signal));
    expect([renumbered.revision, renumbered.metadata.annotations]).toEqual([5, { touched: "1" }]);
    expect(await world.do((_, signal) => history.renumber(renumbered, 5, signal))).toBe(renumbered);
  });

  it("workloads/S23 are created once per payload; a taken name raises the collision count", async () => {
    const { world, history } = await setUp();
    const first = await world.do((_, signal) => history.create(owner, newRevision(input("a", 1)), 0, signal));
    expect(first.collisionCount).toBe(0);
    expect(first.revision.metadata.labels?.["controller.kubernetes.io/hash"]).toBe(
      first.revision.metadata.name.replace("agent-", ""),
    );
    const again = await world.do((_, signal) => history.create(owner, newRevision(input("a", 2)), 0, signal));
    expect(again.revision.metadata.uid).toBe(first.revision.metadata.uid);

    const taken = newRevision(input("b", 1));
    await world.do((client, signal) =>
      client
        .resource(ControllerRevisions)
        .create({ namespace: "default", object: { ...taken, data: { other: true } } }, signal),
    );
    const moved = await world.do((_, signal) => history.create(owner, newRevision(input("b", 1)), 0, signal));
    expect(moved.collisionCount).toBe(1);
    expect(moved.revision.metadata.name).not.toBe(taken.metadata.name as string);
  });

  it("workloads/S23 carry what the caller adds, and are found again however their payload is spelled", async () => {
    const { world, history } = await setUp();
    const plain = newRevision(input("a && b", 1));
    const annotated = { ...plain, metadata: { ...plain.metadata, annotations: { note: "from the set" } } };
    const { revision } = await world.do((_, signal) => history.create(owner, annotated, 0, signal));
    expect(revision.metadata.name).toBe(plain.metadata.name);
    expect(revision.metadata.annotations).toEqual({ note: "from the set" });
    const { metadata, spec } = template("a && b");
    const respelled = { ...revision, data: { spec: { template: { spec, metadata, $patch: "replace" } } } };
    expect(findSameRevisions([respelled], plain)).toEqual([respelled]);
  });

  it("are listed for their owner, renumbered, released, adopted and deleted", async () => {
    const { world, history, informers } = await setUp();
    const { revision } = await world.do((_, signal) => history.create(owner, newRevision(input("a", 1)), 0, signal));
    await world.advance(100);
    expect(history.list(owner, DaemonSets, everything).length).toBe(1);
    expect(history.list({ ...owner, metadata: { ...owner.metadata, uid: "u2" } }, DaemonSets, everything)).toEqual([]);

    const renumbered = await world.do((_, signal) => history.renumber(revision, 7, signal));
    expect(renumbered.revision).toBe(7);
    const released = await world.do((_, signal) => history.release(owner, renumbered, signal));
    expect(released?.metadata.ownerReferences ?? []).toEqual([]);
    const adopted = await world.do((_, signal) => history.adopt(owner, DaemonSets, released as StoredRevision, signal));
    expect(adopted.metadata.ownerReferences?.[0]?.uid).toBe("u1");
    expect(() => history.adopt(owner, DaemonSets, adopted, neverAborted())).toThrow(
      "attempt to adopt revision owned by",
    );
    await world.do((_, signal) => history.delete(adopted, signal));
    expect(await world.do((_, signal) => history.release(owner, adopted, signal))).toBeUndefined();
    await world.advance(100);
    expect(history.list(owner, DaemonSets, everything)).toEqual([]);
    void informers.shutdown();
    await world.advance(100);
  });
});
