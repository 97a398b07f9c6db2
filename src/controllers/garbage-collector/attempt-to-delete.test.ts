import { describe, expect, it } from "vitest";
import type { ObjectMeta, OwnerReference } from "#api/meta.ts";
import { noLog } from "#base/log.ts";
import { neverAborted } from "#base/testing.ts";
import { AbsentOwners } from "./absent-owners.ts";
import { attemptToDelete } from "./attempt-to-delete.ts";
import type { GraphNode } from "./graph-node.ts";
import { identityText } from "./identity.ts";
import { type Answer, identity, NOT_FOUND, node, stageApi } from "./testing.ts";

const signal = neverAborted();
const owner: OwnerReference = { apiVersion: "v1", kind: "Pod", name: "owner", uid: "uid-owner" };
const unknownOwner: OwnerReference = { apiVersion: "example.com/v1", kind: "Nowhere", name: "x", uid: "uid-x" };
const DELETED = "2026-01-01T00:00:00Z";

const live = (name: string, parts: ObjectMeta = {}): { readonly metadata: ObjectMeta } => ({
  metadata: { name, namespace: "a", uid: `uid-${name}`, resourceVersion: "7", ...parts },
});

interface Attempt {
  readonly result: string;
  readonly requests: readonly string[];
  readonly absent: readonly string[];
  readonly queued: readonly GraphNode[];
}

/** The outcome, the methods and paths of the requests, and the reports to the graph. */
async function attempt(
  item: GraphNode,
  answers: readonly Answer[],
  more: { readonly absentOwners?: AbsentOwners; readonly graph?: readonly GraphNode[] } = {},
): Promise<Attempt> {
  const { absentOwners = new AbsentOwners(), graph = [item] } = more;
  const api = stageApi(answers);
  const absent: string[] = [];
  const queued: GraphNode[] = [];
  const deps = {
    log: noLog,
    objects: api.objects,
    graph: { get: (uid: string) => graph.find((one) => one.identity.uid === uid) },
    absentOwners,
    reportAbsent: (gone: Parameters<typeof identityText>[0]) => void absent.push(identityText(gone)),
    attemptToDelete: (one: GraphNode) => void queued.push(one),
  };
  const result = await attemptToDelete(item, deps, signal).then(
    ({ kind }) => kind,
    (error: unknown) => String(error),
  );
  const requests = api.requests().map((request) => request.split(" ").slice(0, 2).join(" "));
  return { result, requests, absent, queued };
}

const WEB = "[v1/Pod, namespace: a, name: web, uid: uid-web]";

describe("an attempt to delete", () => {
  it("garbage-collector/11 drops a virtual item that left the graph, or that was observed meanwhile", async () => {
    const virtual = node("web", { isVirtual: true });
    const nothing = { result: "done", requests: [], absent: [], queued: [] };
    expect(await attempt(virtual, [], { graph: [] })).toEqual(nothing);
    expect(await attempt(virtual, [], { graph: [node("web")] })).toEqual(nothing);
  });

  it("garbage-collector/11 comes back to a virtual item until an informer has seen it", async () => {
    const virtual = node("web", { isVirtual: true });
    expect(await attempt(virtual, [live("web")])).toMatchObject({ result: "backOff", requests: ["GET a/pods/web"] });
    expect(await attempt(node("web"), [live("web")])).toMatchObject({ result: "done" });
  });

  it("garbage-collector/12 reports to the graph that an item is absent, or is another object by now", async () => {
    for (const answer of [NOT_FOUND, live("web", { uid: "uid-next" })]) {
      for (const item of [node("web"), node("web", { isVirtual: true })]) {
        expect(await attempt(item, [answer])).toMatchObject({ result: "done", absent: [WEB] });
      }
    }
  });

  it("garbage-collector/12 asks nothing about an item that is being deleted, unless it waits for its dependents", async () => {
    expect((await attempt(node("web", { isBeingDeleted: true }), [])).requests).toEqual([]);
    const waiting = node("web", { isBeingDeleted: true, isDeletingDependents: true });
    const held = live("web", { finalizers: ["foregroundDeletion"] });
    const { requests } = await attempt(waiting, [held, held, live("web")]);
    expect(requests).toEqual(["GET a/pods/web", "GET a/pods/web", "PATCH a/pods/web"]);
  });

  it("garbage-collector/13 queues the dependents that block it, but not those that wait themselves", async () => {
    const blocking: OwnerReference = { ...owner, uid: "uid-web", blockOwnerDeletion: true };
    const dependents = [
      node("plain", { owners: [{ ...blocking, blockOwnerDeletion: false }] }),
      node("blocking", { owners: [blocking] }),
      node("waiting", { owners: [blocking], isDeletingDependents: true }),
    ];
    const item = node("web", { isDeletingDependents: true, dependents: new Set(dependents) });
    const { requests, queued } = await attempt(item, [live("web")]);
    expect(requests).toEqual(["GET a/pods/web"]);
    expect(queued).toEqual([dependents[1]]);
  });

  it("garbage-collector/14, garbage-collector/reads-live reads the item and each owner live", async () => {
    const item = live("web", { ownerReferences: [owner] });
    expect((await attempt(node("web"), [item, live("owner")])).requests).toEqual([
      "GET a/pods/web",
      "GET a/pods/owner",
    ]);
    const nodeOwner: OwnerReference = { apiVersion: "v1", kind: "Node", name: "n", uid: "uid-n" };
    const clusterOwned = live("web", { ownerReferences: [nodeOwner] });
    expect((await attempt(node("web"), [clusterOwned, live("n")])).requests).toEqual(["GET a/pods/web", "GET nodes/n"]);
    const gone = live("web", { ownerReferences: [owner] });
    expect((await attempt(node("web"), [gone, NOT_FOUND, live("web")])).requests.at(-1)).toBe("DELETE a/pods/web");
    const another = live("owner", { uid: "uid-next" });
    expect((await attempt(node("web"), [gone, another, live("web")])).requests.at(-1)).toBe("DELETE a/pods/web");
  });

  it("garbage-collector/10, garbage-collector/14 does not ask about an owner that is known to be absent, in the namespace or without", async () => {
    const item = live("web", { ownerReferences: [owner] });
    for (const namespace of ["a", ""]) {
      const absentOwners = new AbsentOwners();
      absentOwners.add(identity("owner", { namespace }));
      const { requests } = await attempt(node("web"), [item, live("web")], { absentOwners });
      expect(requests).toEqual(["GET a/pods/web", "DELETE a/pods/web"]);
    }
    const elsewhere = new AbsentOwners();
    elsewhere.add(identity("owner", { namespace: "b" }));
    const asked = await attempt(node("web"), [item, NOT_FOUND, live("web")], { absentOwners: elsewhere });
    expect(asked.requests).toHaveLength(3);
    expect(elsewhere.has(identity("owner"))).toBe(true);
  });

  it("garbage-collector/18, garbage-collector/tests reports to the graph when the item is gone before it is deleted", async () => {
    const item = live("web", { ownerReferences: [owner] });
    expect(await attempt(node("web"), [item, NOT_FOUND, NOT_FOUND])).toMatchObject({ result: "done", absent: [WEB] });
    const waiting = live("owner", { deletionTimestamp: DELETED, finalizers: ["foregroundDeletion"] });
    const parent = node("web", { dependents: new Set([node("child")]) });
    expect(await attempt(parent, [item, waiting, NOT_FOUND])).toMatchObject({ result: "done", absent: [WEB] });
  });

  it("garbage-collector/19 forgets an item of cluster scope whose owner is namespaced", async () => {
    const clusterNode = node("n", { identity: identity("n", { kind: "Node", namespace: "" }) });
    const item = live("n", { ownerReferences: [owner] });
    expect(await attempt(clusterNode, [item])).toMatchObject({ result: "done", requests: ["GET nodes/n"] });
    const virtual = node("web", { identity: identity("web", { namespace: "" }), isVirtual: true });
    expect(await attempt(virtual, [])).toMatchObject({ result: "done", requests: [] });
  });

  it("garbage-collector/20 retries an item with an owner of an unknown kind, regardless of its other owners", async () => {
    const item = live("web", { ownerReferences: [owner, unknownOwner] });
    expect(await attempt(node("web"), [item, NOT_FOUND])).toMatchObject({
      result: "backOff",
      requests: ["GET a/pods/web", "GET a/pods/owner"],
    });
  });

  it("garbage-collector/14 fails, and so is retried, when an owner cannot be read", async () => {
    const item = live("web", { ownerReferences: [owner] });
    const { result, absent } = await attempt(node("web"), [item, { code: 403, reason: "Forbidden" }]);
    expect([result, absent]).toEqual(["ApiError: Forbidden", []]);
  });
});
