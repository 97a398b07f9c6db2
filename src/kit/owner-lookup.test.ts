import { describe, expect, it } from "vitest";
import { ValueError } from "#api/errors.ts";
import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { selectorFromObject } from "#api/label-selector.ts";
import type { ObjectMeta } from "#api/meta.ts";
import { objectKey } from "#api/object.ts";
import { newControllerRef } from "#api/owner-refs.ts";
import type { ObjectOf } from "#api/resource.ts";
import { stored } from "#api/testing.ts";
import { createLister } from "#informers/lister.ts";
import { IndexedStore } from "#informers/store.ts";
import { OwnerLookup } from "./owner-lookup.ts";

type Owner = ObjectOf<typeof ReplicaSets>;

const set = (name: string, matchLabels: Record<string, string>, namespace = "ns"): Owner =>
  stored(ReplicaSets, { metadata: { namespace, name }, spec: { selector: { matchLabels }, template: {} } });
const sets = [
  set("web", { app: "web" }),
  set("api", { app: "api" }),
  set("twin", { app: "web" }),
  set("all", {}),
  set("broken", { app: "web" }),
  set("web", { app: "web" }, "elsewhere"),
];
const [web, api, twin] = sets as [Owner, Owner, Owner];

const several: string[] = [];
const store = new IndexedStore<Owner>();
for (const owner of sets) store.set(objectKey(owner), owner);
const lookup = new OwnerLookup({
  resource: ReplicaSets,
  owners: { lister: createLister(store, ReplicaSets) },
  selectorOf: (owner) =>
    owner.metadata.name === "broken" ? new ValueError("labelSelector", "no") : selectorFromObject(owner.spec?.selector),
  onSeveralAdopters: (orphan, adopters) => several.push(`${orphan.metadata.name}: ${adopters.length}`),
});

const pod = (metadata: ObjectMeta): ObjectOf<typeof Pods> => stored(Pods, { metadata: { name: "p", ...metadata } });
const ownedBy = (owner: Owner, more: ObjectMeta = {}): ObjectOf<typeof Pods> =>
  pod({ ownerReferences: [newControllerRef(owner, ReplicaSets)], ...more });
const names = (owners: readonly Owner[]): string[] => owners.map(({ metadata }) => metadata.name);

describe("the owners that an event concerns", () => {
  it("workloads/S16 the controller is of the kind, the name and the UID", () => {
    expect(lookup.controllerOf(ownedBy(web))).toBe(web);
    const successor = { ...web, metadata: { ...web.metadata, uid: "other" } };
    expect(lookup.controllerOf(ownedBy(successor))).toBeUndefined();
    const ofAnotherKind = { ...newControllerRef(web, ReplicaSets), kind: "StatefulSet" };
    expect(lookup.controllerOf(pod({ ownerReferences: [ofAnotherKind] }))).toBeUndefined();
    expect(lookup.controllerOf(pod({}))).toBeUndefined();
  });

  it("workloads/S16 orphans match every selector of their namespace that is valid and not empty", () => {
    expect(names(lookup.concernedByAdd(pod({ labels: { app: "api" } })))).toEqual(["api"]);
    expect(several).toEqual([]);
    expect(names(lookup.concernedByAdd(pod({ labels: { app: "web" } })))).toEqual(["web", "twin"]);
    expect(several).toEqual(["p: 2"]);
    expect(lookup.concernedByAdd(pod({}))).toEqual([]);
    expect(lookup.concernedByAdd(ownedBy(api, { labels: { app: "web" } }))).toEqual([api]);
  });

  const labels = { app: "api" };
  const updates = [
    { what: "the same controller", from: ownedBy(web), to: ownedBy(web), concerns: ["web"] },
    { what: "another controller", from: ownedBy(web), to: ownedBy(twin), concerns: ["web", "twin"] },
    { what: "released", from: ownedBy(web, { labels }), to: pod({ labels }), concerns: ["web", "api"] },
    { what: "adopted", from: pod({ labels }), to: ownedBy(api, { labels }), concerns: ["api"] },
    { what: "an orphan as before", from: pod({ labels }), to: pod({ labels }), concerns: [] },
    { what: "an orphan with new labels", from: pod({}), to: pod({ labels }), concerns: ["api"] },
  ];
  for (const { what, from, to, concerns } of updates) {
    it(`workloads/S16 an update, ${what}: ${concerns.join(", ") || "none"}`, () => {
      expect(names(lookup.concernedByUpdate(from, to))).toEqual(concerns);
    });
  }
});
