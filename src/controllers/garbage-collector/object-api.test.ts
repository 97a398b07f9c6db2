import { describe, expect, it } from "vitest";
import type { ObjectMeta, OwnerReference } from "#api/meta.ts";
import { isConflict, isNotFound } from "#api/status-error.ts";
import { neverAborted } from "#base/testing.ts";
import { dropOwnersMerge, dropOwnersStrategic } from "./patches.ts";
import { type Answer, CONFLICT, identity, NOT_FOUND, stageApi, UNSUPPORTED } from "./testing.ts";

const signal = neverAborted();
const web = identity("web");
const ownerReferences: readonly OwnerReference[] = [{ apiVersion: "v1", kind: "Pod", name: "owner", uid: "uid-owner" }];

const live = (parts: ObjectMeta = {}): { readonly metadata: ObjectMeta } => ({
  metadata: { name: "web", namespace: "a", uid: "uid-web", resourceVersion: "7", ownerReferences, ...parts },
});

const deletion = (preconditions: object): string =>
  `DELETE a/pods/web ${JSON.stringify({
    kind: "DeleteOptions",
    apiVersion: "v1",
    preconditions,
    propagationPolicy: "Background",
  })}`;
const WITH_VERSION = deletion({ uid: "uid-web", resourceVersion: "7" });
const WITHOUT_VERSION = deletion({ uid: "uid-web" });

describe("a delete", () => {
  const cases: readonly {
    readonly what: string;
    readonly answers: readonly Answer[];
    readonly requests: readonly string[];
    readonly fails?: (error: unknown) => boolean;
  }[] = [
    { what: "names UID and resourceVersion", answers: [live()], requests: [WITH_VERSION] },
    {
      what: "is repeated without the version when something else changed than the owners",
      answers: [CONFLICT, live({ resourceVersion: "8" }), live()],
      requests: [WITH_VERSION, "GET a/pods/web", WITHOUT_VERSION],
    },
    {
      what: "is repeated once",
      answers: [CONFLICT, live({ resourceVersion: "8" }), CONFLICT],
      requests: [WITH_VERSION, "GET a/pods/web", WITHOUT_VERSION],
      fails: isConflict,
    },
    {
      what: "is not repeated when the owners changed",
      answers: [CONFLICT, live({ resourceVersion: "8", ownerReferences: [] })],
      requests: [WITH_VERSION, "GET a/pods/web"],
      fails: isConflict,
    },
    {
      what: "is not repeated on a successor of the same name",
      answers: [CONFLICT, live({ uid: "uid-next", resourceVersion: "8" })],
      requests: [WITH_VERSION, "GET a/pods/web"],
      fails: isConflict,
    },
    {
      what: "is not repeated when nothing changed",
      answers: [CONFLICT, live()],
      requests: [WITH_VERSION, "GET a/pods/web"],
      fails: isConflict,
    },
    {
      what: "finds out that the object is gone",
      answers: [CONFLICT, NOT_FOUND],
      requests: [WITH_VERSION, "GET a/pods/web"],
      fails: isNotFound,
    },
    {
      what: "says conflict when it cannot find out more",
      answers: [CONFLICT, { code: 403, reason: "Forbidden" }],
      requests: [WITH_VERSION, "GET a/pods/web"],
      fails: isConflict,
    },
  ];
  for (const { what, answers, requests, fails } of cases) {
    it(`garbage-collector/18 ${what}`, async () => {
      const api = stageApi(answers);
      const deleted = api.objects.delete(web, live().metadata, "Background", signal).catch((error: unknown) => error);
      expect(fails === undefined ? (await deleted) === undefined : fails(await deleted)).toBe(true);
      expect(api.requests()).toEqual(requests);
    });
  }
});

describe("a read", () => {
  it("garbage-collector/19 of a cluster-scoped object has no namespace, even if its identity has one", async () => {
    const api = stageApi([live()]);
    await api.objects.get(identity("n", { kind: "Node" }), signal);
    expect(api.requests()).toEqual(["GET nodes/n"]);
    await expect(api.objects.get(identity("web", { namespace: "" }), signal)).rejects.toThrow(
      "cluster-scoped objects cannot refer to namespaced owners",
    );
  });

  it("garbage-collector/20 fails for a kind that nothing serves", async () => {
    const api = stageApi([]);
    const unknown = identity("x", { apiVersion: "example.com/v1", kind: "Nowhere" });
    await expect(api.objects.get(unknown, signal)).rejects.toThrow(
      "unable to get REST mapping for example.com/v1/Nowhere.",
    );
    expect(api.requests()).toEqual([]);
  });
});

describe("a patch of owners", () => {
  const strategic = dropOwnersStrategic("uid-web", ["uid-owner"]);
  const merge = (current: ObjectMeta) => dropOwnersMerge(current, ["uid-owner"]);
  const patch = 'PATCH a/pods/web {"metadata":';
  const asStrategic = `${patch}{"uid":"uid-web","ownerReferences":[{"$patch":"delete","uid":"uid-owner"}]}}`;

  it("garbage-collector/23 is a strategic one where the kind has such patches", async () => {
    const api = stageApi([live()]);
    await api.objects.patch(web, strategic, merge, signal);
    expect(api.requests()).toEqual([asStrategic]);
  });

  it("garbage-collector/23 else a JSON merge patch of what the cache has, or of what a read finds", async () => {
    const cached = stageApi([UNSUPPORTED, live()], { "a/web": live({ resourceVersion: "6" }).metadata });
    await cached.objects.patch(web, strategic, merge, signal);
    expect(cached.requests()).toEqual([asStrategic, `${patch}{"resourceVersion":"6","ownerReferences":null}}`]);
    const uncached = stageApi([UNSUPPORTED, live(), live()]);
    await uncached.objects.patch(web, strategic, merge, signal);
    const merged = `${patch}{"resourceVersion":"7","ownerReferences":null}}`;
    expect(uncached.requests()).toEqual([asStrategic, "GET a/pods/web", merged]);
  });

  it("garbage-collector/23 is not tried otherwise after another refusal", async () => {
    const api = stageApi([{ code: 422, reason: "Invalid" }]);
    await expect(api.objects.patch(web, strategic, merge, signal)).rejects.toThrow();
    expect(api.requests()).toHaveLength(1);
  });
});

describe("the removal of a finalizer", () => {
  const held = (resourceVersion: string) => live({ resourceVersion, finalizers: ["orphan", "other"] });
  const patched = (resourceVersion: string): string =>
    `PATCH a/pods/web {"metadata":{"resourceVersion":"${resourceVersion}","finalizers":["other"]}}`;
  const remove = async (answers: readonly Answer[]): Promise<{ requests: readonly string[]; error: unknown }> => {
    const api = stageApi(answers);
    const removed = api.objects.removeFinalizer(web, "orphan", signal).then(
      () => undefined,
      (error: unknown) => error,
    );
    await api.clock.advance(10_000);
    return { error: await removed, requests: api.requests() };
  };

  it("garbage-collector/22 names the others and the version that was read", async () => {
    expect(await remove([held("7"), live()])).toEqual({ error: undefined, requests: ["GET a/pods/web", patched("7")] });
  });

  it("garbage-collector/22 needs nothing when the object or the finalizer is gone", async () => {
    expect(await remove([NOT_FOUND])).toEqual({ error: undefined, requests: ["GET a/pods/web"] });
    expect(await remove([live()])).toEqual({ error: undefined, requests: ["GET a/pods/web"] });
  });

  it("garbage-collector/22 reads again after a conflict, four times in all", async () => {
    const once = await remove([held("7"), CONFLICT, held("8"), live()]);
    expect(once.requests).toEqual(["GET a/pods/web", patched("7"), "GET a/pods/web", patched("8")]);
    expect(once.error).toBeUndefined();
    const always = await remove([1, 2, 3, 4].flatMap((version) => [held(`${version}`), CONFLICT]));
    expect(always.requests).toHaveLength(8);
    expect(String(always.error)).toBe(
      "Error: updateMaxRetries(4) has reached. The garbage collector will retry later for owner [v1/Pod, namespace: a, name: web, uid: uid-web]",
    );
  });

  it("garbage-collector/22 fails with the owner's name when it cannot be read", async () => {
    const { error } = await remove([{ code: 403, reason: "Forbidden" }]);
    expect(String(error)).toBe(
      "Error: cannot finalize owner [v1/Pod, namespace: a, name: web, uid: uid-web], because cannot get it: Forbidden. The garbage collector will retry later",
    );
  });
});
