// The cases by which client-go tests discovery, its cache and the mapper. Left out: the server's version, OpenAPI,
// short names and categories, which no controller uses.

import { describe, expect, it } from "vitest";
import { neverAborted } from "#base/testing.ts";
import { groupsAndResources, preferredNamespacedResources, preferredResources } from "#client/discovery.ts";
import { cachedDiscovery } from "#client/discovery-cache.ts";
import { createRestMapper } from "#client/rest-mapper.ts";
import {
  AGGREGATED,
  type Answers,
  core,
  document,
  flat,
  legacyGroups,
  legacyList,
  stageDiscovery as setUp,
} from "#client/testing-discovery.ts";

const signal = neverAborted();

describe("machinery/8.r9 aggregated documents", () => {
  it.each<{ what: string; api?: object; apis: object; resources: string[]; failed?: string[] }>([
    {
      what: "one group each",
      api: core("pods"),
      apis: document({ apps: [{ version: "v1", resources: ["deployments"] }] }),
      resources: ["v1 pods", "apps/v1 deployments"],
    },
    {
      what: "two versions",
      api: core("pods", "services"),
      apis: document({
        apps: [
          { version: "v2", resources: ["deployments"] },
          { version: "v1", resources: ["deployments", "statefulsets"] },
        ],
      }),
      resources: ["v1 pods", "v1 services", "apps/v2 deployments", "apps/v1 deployments", "apps/v1 statefulsets"],
    },
    {
      what: "nothing at /api",
      apis: document({
        apps: [{ version: "v1", resources: ["deployments"] }],
        batch: [{ version: "v1", resources: ["jobs"] }],
      }),
      resources: ["apps/v1 deployments", "batch/v1 jobs"],
    },
    {
      what: "a stale version",
      api: core("pods"),
      apis: document({
        apps: [{ version: "v1", resources: ["deployments"] }],
        batch: [
          { version: "v1", resources: ["jobs"], isStale: true },
          { version: "v1beta1", resources: ["jobs"] },
        ],
      }),
      resources: ["v1 pods", "apps/v1 deployments", "batch/v1beta1 jobs"],
      failed: ["batch/v1"],
    },
    {
      what: "a stale version alone",
      api: core("pods"),
      apis: document({ apps: [{ version: "v1", resources: ["deployments"], isStale: true }] }),
      resources: ["v1 pods"],
      failed: ["apps/v1"],
    },
    {
      what: "subresources, also of what has no kind itself",
      api: core({
        name: "pods",
        subresources: [
          { subresource: "status", responseKind: { kind: "Pod" } },
          { subresource: "log", responseKind: null },
        ],
      }),
      apis: document({
        "external.metrics.k8s.io": [
          {
            version: "v1beta1",
            resources: [
              { name: "a", kind: null, subresources: [{ subresource: "x", responseKind: { kind: "X" } }] },
              {
                name: "b",
                kind: {},
                subresources: [
                  { subresource: "y", responseKind: { kind: "Y" } },
                  { subresource: "z", responseKind: { kind: "Z" } },
                ],
              },
            ],
          },
        ],
      }),
      resources: [
        "v1 pods",
        "v1 pods/status",
        "external.metrics.k8s.io/v1beta1 a/x",
        "external.metrics.k8s.io/v1beta1 b/y",
        "external.metrics.k8s.io/v1beta1 b/z",
      ],
    },
  ])("machinery/4.3.1 $what", async ({ api, apis, resources, failed = [] }) => {
    for (const version of ["v2", "v2beta1"]) {
      const { discovery } = setUp(
        { ...(api && { "/api": api }), "/apis": apis },
        AGGREGATED.replace("v=v2", `v=${version}`),
      );
      const result = await groupsAndResources(discovery, signal);
      expect(flat(result.lists)).toEqual(resources);
      expect([...(result.failure?.groups.keys() ?? [])]).toEqual(failed);
    }
  });

  it("machinery/4.3.1 scopes are distinguished, and a group without a fresh version has none", async () => {
    const apis = document({
      rbac: [{ version: "v1", resources: ["roles", { name: "clusterroles", scope: "Cluster" }] }],
      stale: [{ version: "v1", resources: ["x"], isStale: true }],
    });
    const { groups, lists } = await groupsAndResources(
      setUp({ "/api": core("pods"), "/apis": apis }).discovery,
      signal,
    );
    const scopes = lists.flatMap(({ resources }) => resources.map(({ name, namespaced }) => [name, namespaced]));
    expect(scopes).toEqual([
      ["pods", true],
      ["roles", true],
      ["clusterroles", false],
    ]);
    expect(groups.at(-1)).toEqual({ name: "stale", versions: [], preferredVersion: "" });
  });

  it.each([
    ["application/json; g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList", true],
    ["application/json; v=v2;as=APIGroupDiscoveryList;g=apidiscovery.k8s.io", true],
    ["application/json; as=APIGroupDiscoveryList;g=apidiscovery.k8s.io;v=v2", true],
    ["application/json; g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList;charset=utf-8", true],
    ["application/json", false],
    ["application/json; charset=UTF-8", false],
    ["text/json", false],
    ["text/html", false],
    ["", false],
  ])("machinery/4.3.1 %j says so: %s", async (type, isAggregated) => {
    const { discovery } = setUp({ "/api": core("pods"), "/apis": document({}) }, type);
    expect((await discovery.groups(signal)).lists !== undefined).toBe(isAggregated);
  });

  it.each<{ what: string; answers: Answers; resources?: string[] }>([
    {
      what: "404 of /api is no failure",
      answers: { "/apis": document({ apps: [{ version: "v1", resources: ["deployments"] }] }) },
      resources: ["apps/v1 deployments"],
    },
    { what: "403 of /api is one", answers: { "/api": [403], "/apis": document({}) } },
    { what: "404 of /apis is one", answers: { "/api": core("pods") } },
    { what: "403 of /apis is one", answers: { "/api": core("pods"), "/apis": [403] } },
    { what: "404 of /apis is one, on an old server too", answers: { "/api": { versions: ["v1"] } } },
    {
      what: "404 of /api is none on an old server either",
      answers: { "/apis": legacyGroups({ apps: ["v1"] }), "/apis/apps/v1": legacyList("deployments") },
      resources: ["apps/v1 deployments"],
    },
  ])("machinery/4.3.2 $what", async ({ answers, resources }) => {
    const all = groupsAndResources(setUp(answers).discovery, signal);
    if (resources === undefined) await expect(all).rejects.toThrow();
    else expect(flat((await all).lists)).toEqual(resources);
  });
});

describe("machinery/8.r9 preferred resources", () => {
  const batch = {
    "/apis/batch/v1": legacyList("jobs"),
    "/apis/batch/v2alpha1": legacyList("jobs", "cronjobs"),
    "/apis/batch/v3alpha1": legacyList("jobs", "cronjobs"),
  };
  const versions = ["v1", "v2alpha1", "v3alpha1"];
  it.each<{ what: string; answers: Answers; resources: string[] }>([
    {
      what: "of both documents, namespaced ones",
      answers: {
        "/api": { versions: ["v1"] },
        "/api/v1": legacyList("pods", "services", { name: "namespaces", scope: "Cluster" }),
        "/apis": legacyGroups({ batch: ["v1"] }),
        "/apis/batch/v1": legacyList("jobs"),
      },
      resources: ["v1 pods", "v1 services", "batch/v1 jobs"],
    },
    {
      what: "the preferred version first, then the first that has it",
      answers: { "/apis": legacyGroups({ batch: versions }), ...batch },
      resources: ["batch/v1 jobs", "batch/v2alpha1 cronjobs"],
    },
    {
      what: "a preferred version that is not the first",
      answers: { "/apis": legacyGroups({ batch: versions }, "v2alpha1"), ...batch },
      resources: ["batch/v2alpha1 jobs", "batch/v2alpha1 cronjobs"],
    },
  ])("machinery/4.3.4 $what", async ({ answers, resources }) => {
    const { lists } = await preferredNamespacedResources(setUp(answers).discovery, signal);
    expect(flat(lists)).toEqual(resources);
  });

  it.each<{ what: string; apis: object; resources: string[]; failed?: string[] }>([
    {
      what: "of the preferred version alone",
      apis: document({
        apps: [
          { version: "v2", resources: ["deployments"] },
          { version: "v1", resources: ["deployments"] },
        ],
      }),
      resources: ["v1 pods", "apps/v2 deployments"],
    },
    {
      what: "a stale version is not preferred",
      apis: document({
        apps: [
          { version: "v2", resources: ["deployments"], isStale: true },
          { version: "v1", resources: ["deployments"] },
        ],
      }),
      resources: ["v1 pods", "apps/v1 deployments"],
      failed: ["apps/v2"],
    },
    {
      what: "from several versions, when only they have it",
      apis: document({
        apps: [{ version: "v1", resources: ["deployments", "statefulsets"] }],
        batch: [
          { version: "v1", resources: ["jobs"] },
          { version: "v1beta1", resources: ["jobs", "cronjobs"] },
        ],
      }),
      resources: ["v1 pods", "apps/v1 deployments", "apps/v1 statefulsets", "batch/v1 jobs", "batch/v1beta1 cronjobs"],
    },
  ])("machinery/4.3.4 $what", async ({ apis, resources, failed = [] }) => {
    const { lists, failure } = await preferredResources(
      setUp({ "/api": core("pods"), "/apis": apis }).discovery,
      signal,
    );
    expect(flat(lists)).toEqual(resources);
    expect([...(failure?.groups.keys() ?? [])]).toEqual(failed);
  });

  it.each([
    { errors: [500, 200], resources: ["v1 pods", "extensions/v1beta1 deployments"], isWhole: true },
    { errors: [500, 500], resources: ["v1 pods"], isWhole: false },
  ])("machinery/4.3.2 what fails once is asked for once more: $errors", async ({ errors, resources, isWhole }) => {
    const path = "/apis/extensions/v1beta1";
    const { discovery, answers, asked } = setUp({
      "/api": { versions: ["v1"] },
      "/api/v1": legacyList("pods"),
      "/apis": legacyGroups({ extensions: ["v1beta1"] }),
      [path]: errors,
    });
    const all = preferredResources(
      {
        ...discovery,
        resourcesOf: (groupVersion, given) => {
          if (asked.get(path) === 1 && errors[1] === 200) answers[path] = legacyList("deployments");
          return discovery.resourcesOf(groupVersion, given);
        },
      },
      signal,
    );
    const { lists, failure } = await all;
    expect([flat(lists), failure === undefined, asked.get(path)]).toEqual([resources, isWhole, 2]);
  });
});

describe("machinery/8.r9 the cache", () => {
  const old = (): Answers => ({
    "/api": { versions: ["v1"] },
    "/api/v1": legacyList("pods"),
    "/apis": legacyGroups({ astronomy: ["v8beta1"], astronomy2: ["v8beta1"] }),
    "/apis/astronomy/v8beta1": legacyList("dwarfplanets", "stars"),
    "/apis/astronomy2/v8beta1": legacyList("dwarfplanets"),
  });

  it("machinery/4.3.3 asks once, and again only after an invalidation", async () => {
    const { discovery, answers, asked } = setUp(old());
    const cache = cachedDiscovery(discovery);
    expect(cache.isFresh).toBe(false);
    for (let i = 0; i < 3; i++)
      expect((await cache.resourcesOf("astronomy/v8beta1", signal)).resources).toHaveLength(2);
    expect([cache.isFresh, asked.get("/apis"), asked.get("/apis/astronomy/v8beta1")]).toEqual([true, 1, 1]);
    answers["/apis/astronomy/v8beta1"] = legacyList("stars");
    expect((await cache.resourcesOf("astronomy/v8beta1", signal)).resources).toHaveLength(2);
    cache.invalidate();
    expect((await cache.resourcesOf("astronomy/v8beta1", signal)).resources).toHaveLength(1);
    expect(asked.get("/apis")).toBe(2);
  });

  it("machinery/4.3.3 is not filled by a failure of the whole", async () => {
    const { discovery, answers } = setUp({ ...old(), "/apis": [500] });
    const cache = cachedDiscovery(discovery);
    await expect(cache.groups(signal)).rejects.toThrow();
    expect(cache.isFresh).toBe(false);
    answers["/apis"] = old()["/apis"] as object;
    expect((await cache.groups(signal)).groups.map(({ name }) => name)).toEqual(["", "astronomy", "astronomy2"]);
  });

  it.each([
    { what: "for good, until it is told to forget", status: 404, isKept: true },
    { what: "in passing, until the next question", status: 503, isKept: false },
    { what: "because of too many questions, until the next", status: 429, isKept: false },
  ])("machinery/4.3.3 keeps a part that failed $what", async ({ status, isKept }) => {
    const path = "/apis/astronomy2/v8beta1";
    const { discovery, answers } = setUp({ ...old(), [path]: [status] });
    const cache = cachedDiscovery(discovery);
    const ask = () =>
      cache.resourcesOf("astronomy2/v8beta1", signal).then(
        ({ resources }) => resources.length,
        () => -1,
      );
    expect([await ask(), (await cache.resourcesOf("astronomy/v8beta1", signal)).resources.length]).toEqual([-1, 2]);
    answers[path] = legacyList("dwarfplanets");
    expect(await ask()).toBe(isKept ? -1 : 1);
    cache.invalidate();
    expect(await ask()).toBe(1);
  });

  it("machinery/4.3.3 keeps aggregated documents, with what is stale in them as failed", async () => {
    const apis = document({
      apps: [
        { version: "v1", resources: ["deployments"] },
        { version: "v2", resources: ["x"], isStale: true },
      ],
    });
    const { discovery, asked } = setUp({ "/api": core("pods"), "/apis": apis });
    const cache = cachedDiscovery(discovery);
    for (let i = 0; i < 2; i++) {
      const { lists, failed } = await cache.groups(signal);
      expect([[...(lists?.keys() ?? [])], [...failed.keys()]]).toEqual([["v1", "apps/v1"], ["apps/v2"]]);
    }
    expect([asked.get("/api"), asked.get("/apis")]).toEqual([1, 1]);
  });
});

describe("machinery/8.r9 the mapper", () => {
  const answers = (): Answers => ({
    "/api": { versions: ["v1", "v2"] },
    "/api/v1": legacyList("pods"),
    "/api/v2": legacyList("pods"),
    "/apis": legacyGroups({ extensions: ["v1beta"], unpreferred: ["v1", "v2beta1", "v2alpha1"] }),
    "/apis/extensions/v1beta": legacyList("jobs", "pods"),
    "/apis/unpreferred/v1": legacyList("broccoli"),
    "/apis/unpreferred/v2beta1": legacyList("broccoli", "peas"),
    "/apis/unpreferred/v2alpha1": legacyList("broccoli", "peas"),
  });
  it.each([
    [{ resource: "pods" }, "/v1 PODS"],
    [{ resource: "pods", version: "v1" }, "/v1 PODS"],
    [{ resource: "pods", version: "v2" }, "/v2 PODS"],
    [{ resource: "pods", group: "extensions" }, "extensions/v1beta PODS"],
    [{ resource: "jobs" }, "extensions/v1beta JOBS"],
    [{ resource: "broccoli" }, "unpreferred/v1 BROCCOLI"],
    [{ resource: "peas" }, "unpreferred/v2beta1 PEAS"],
  ])("finds %j", async (resource, expected) => {
    const mapper = createRestMapper(cachedDiscovery(setUp(answers()).discovery));
    const found = await mapper.resourceFor(resource, signal);
    expect(`${found.group}/${found.version} ${found.kind}`).toBe(expected);
    expect(found.resource).toBe(resource.resource);
  });

  it("machinery/4.3.3 asks again for what it misses only when it might have become stale", async () => {
    const { discovery, asked } = setUp(answers());
    const cache = cachedDiscovery(discovery);
    const mapper = createRestMapper(cache);
    await expect(mapper.resourceFor({ resource: "foo" }, signal)).rejects.toThrow("no matches");
    await expect(mapper.resourceFor({ resource: "foo" }, signal)).rejects.toThrow("no matches");
    expect(asked.get("/apis")).toBe(1);
    cache.invalidate();
    await expect(mapper.resourceFor({ resource: "foo" }, signal)).rejects.toThrow("no matches");
    expect(asked.get("/apis")).toBe(2);
  });
});
