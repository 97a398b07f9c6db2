// Discovery from aggregated and legacy servers, its cache, and the mapper on top of it.

import { describe, expect, it } from "vitest";
import type { HttpRequest, HttpResponse } from "#base/http.ts";
import { neverAborted, testClock } from "#base/testing.ts";
import { createClient } from "#client/create-client.ts";
import {
  createDiscovery,
  groupsAndResources,
  preferredNamespacedResources,
  preferredResources,
} from "#client/discovery.ts";
import { cachedDiscovery } from "#client/discovery-cache.ts";
import { createRestMapper } from "#client/rest-mapper.ts";
import { jsonResponse, scriptedTransport, textResponse } from "#client/testing.ts";

const signal = neverAborted();
const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

type Answers = Record<string, unknown>;

function setup(answers: Answers) {
  const transport = scriptedTransport((request: HttpRequest): HttpResponse => {
    const answer = answers[request.path];
    if (answer === undefined) return textResponse("nothing here", 404);
    if (typeof answer === "number") return textResponse("broken", answer);
    const isAggregated = typeof answer === "object" && answer !== null && "items" in answer;
    return jsonResponse(answer, 200, isAggregated ? { "content-type": AGGREGATED } : {});
  });
  const discovery = createDiscovery(createClient({ transport, clock: testClock(), userAgent: "test" }));
  const paths = () => transport.requests.splice(0).map((request) => request.path);
  return { discovery, paths, answers, transport };
}

const kind = (group: string, version: string, name: string) => ({ group, version, kind: name });
const aggregatedResource = (resource: string, responseKind: unknown, scope = "Namespaced") => ({
  resource,
  responseKind,
  scope,
  singularResource: resource.slice(0, -1),
  verbs: ["list", "watch"],
});

const aggregated = (): Answers => ({
  "/api": {
    items: [
      {
        versions: [
          {
            version: "v1",
            resources: [
              {
                ...aggregatedResource("pods", kind("", "v1", "Pod")),
                shortNames: ["po"],
                subresources: [
                  { subresource: "eviction", responseKind: kind("policy", "v1", "Eviction"), verbs: ["create"] },
                ],
              },
              aggregatedResource("nodes", kind("", "v1", "Node"), "Cluster"),
              aggregatedResource("events", kind("", "v1", "Event")),
            ],
          },
        ],
      },
    ],
  },
  "/apis": {
    items: [
      {
        metadata: { name: "events.k8s.io" },
        versions: [{ version: "v1", resources: [aggregatedResource("events", kind("events.k8s.io", "v1", "Event"))] }],
      },
      {
        metadata: { name: "autoscaling" },
        versions: [
          { version: "v2", resources: [aggregatedResource("hpas", kind("autoscaling", "v2", "Hpa"))] },
          { version: "v1", resources: [aggregatedResource("hpas", kind("autoscaling", "v1", "Hpa"))] },
        ],
      },
      {
        metadata: { name: "metrics.k8s.io" },
        versions: [{ version: "v1beta1", freshness: "Stale", resources: [] }],
      },
    ],
  },
});

const legacy = (): Answers => ({
  "/api": { kind: "APIVersions", versions: ["v1"] },
  "/apis": {
    kind: "APIGroupList",
    groups: [
      { name: "apps", versions: [{ groupVersion: "apps/v1", version: "v1" }], preferredVersion: { version: "v1" } },
      { name: "bad", versions: [{ groupVersion: "bad/v1", version: "v1" }], preferredVersion: { version: "v1" } },
    ],
  },
  "/api/v1": { resources: [{ name: "pods", singularName: "pod", namespaced: true, kind: "Pod", verbs: ["list"] }] },
  "/apis/apps/v1": {
    resources: [
      { name: "deployments", singularName: "deployment", namespaced: true, kind: "Deployment", verbs: ["list"] },
      {
        name: "deployments/scale",
        singularName: "",
        namespaced: true,
        group: "autoscaling",
        version: "v1",
        kind: "Scale",
        verbs: [],
      },
    ],
  },
  "/apis/bad/v1": 503,
});

it("parses a document from a server in this process once", async () => {
  const { "/api": core, "/apis": named } = aggregated();
  const transport = scriptedTransport(({ path }) => ({
    status: 200,
    headers: { "content-type": AGGREGATED },
    body: { kind: "object", value: path === "/api" ? core : named },
  }));
  const discover = () => {
    const client = createClient({ transport, clock: testClock(), userAgent: "test", direct: true });
    return groupsAndResources(createDiscovery(client), signal);
  };
  const [first, second] = [await discover(), await discover()];
  expect(first).toEqual(await groupsAndResources(setup(aggregated()).discovery, signal));
  expect(second.lists[0]).toBe(first.lists[0]);
});

describe("discovery", () => {
  it("machinery/4.3.1 reads aggregated documents in two requests, subresources included", async () => {
    const { discovery, paths, transport } = setup(aggregated());
    const { groups, lists } = await groupsAndResources(discovery, signal);
    expect(transport.requests[0]?.headers.accept).toBe(
      "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json",
    );
    expect(new Set(paths())).toEqual(new Set(["/api", "/apis"]));
    expect(groups.map(({ name, preferredVersion }) => [name, preferredVersion])).toContainEqual(["autoscaling", "v2"]);
    const core = lists.find(({ groupVersion }) => groupVersion === "v1");
    expect(core?.resources.map(({ name, kind }) => [name, kind])).toEqual([
      ["pods", "Pod"],
      ["pods/eviction", "Eviction"],
      ["nodes", "Node"],
      ["events", "Event"],
    ]);
  });

  it("machinery/4.3.1 fetches every version itself as soon as one document is of the old form", async () => {
    const answers = { ...legacy(), "/api": aggregated()["/api"] };
    const { discovery, paths } = setup(answers);
    const { lists } = await groupsAndResources(discovery, signal);
    expect(lists.map(({ groupVersion }) => groupVersion)).toEqual(["v1", "apps/v1"]);
    expect(paths()).toContain("/apis/apps/v1");
  });

  it("machinery/4.3.2 tolerates a server without /api, and brings partial results with the failure", async () => {
    const answers = legacy();
    delete answers["/api"];
    const { discovery } = setup(answers);
    const { lists, failure } = await preferredResources(discovery, signal);
    expect(lists.map(({ groupVersion }) => groupVersion)).toEqual(["apps/v1"]);
    expect(failure?.message).toBe(
      "unable to retrieve the complete list of server APIs: bad/v1: the server is currently unable to handle the request",
    );
    const stale = await groupsAndResources(setup(aggregated()).discovery, signal);
    expect([...(stale.failure?.groups.keys() ?? [])]).toEqual(["metrics.k8s.io/v1beta1"]);
  });

  it("machinery/4.3.4 gives each resource in its preferred version, namespaced ones on request", async () => {
    const { discovery } = setup(aggregated());
    const { lists } = await preferredNamespacedResources(discovery, signal);
    expect(lists.map(({ groupVersion, resources }) => [groupVersion, resources.map(({ name }) => name)])).toEqual([
      ["v1", ["pods", "events"]],
      ["events.k8s.io/v1", ["events"]],
      ["autoscaling/v2", ["hpas"]],
    ]);
  });
});

describe("mapper", () => {
  it("machinery/4.3.3 stays as it was filled until a reset, which makes no request itself", async () => {
    const { discovery, paths, answers } = setup(aggregated());
    const mapper = createRestMapper(cachedDiscovery(discovery));
    expect(paths()).toEqual([]);
    await mapper.mapping({ group: "", kind: "Pod" }, [], signal);
    paths();
    const missing = () => mapper.mapping({ group: "new.io", kind: "Thing" }, ["v1"], signal);
    (answers["/apis"] as { items: unknown[] }).items.push({
      metadata: { name: "new.io" },
      versions: [{ version: "v1", resources: [aggregatedResource("things", kind("new.io", "v1", "Thing"))] }],
    });
    await expect(missing()).rejects.toThrow('no matches for kind "Thing" in version "new.io/v1"');
    expect(paths()).toEqual([]);
    mapper.reset();
    expect(paths()).toEqual([]);
    expect(await missing()).toMatchObject({ group: "new.io", version: "v1", resource: "things", kind: "Thing" });
  });

  it("machinery/4.3.2 a server may have no core group, but each other group that it names", async () => {
    const { discovery, answers } = setup({});
    expect(await discovery.resourcesOf("v1", signal)).toEqual({ groupVersion: "v1", resources: [] });
    await expect(discovery.resourcesOf("g/v1", signal)).rejects.toThrow("could not find");
    answers["/api/v1"] = 403;
    await expect(discovery.resourcesOf("v1", signal)).rejects.toThrow();
  });

  it("machinery/4.3.3 asks again for versions that failed in passing", async () => {
    const { discovery, answers } = setup(legacy());
    const cache = cachedDiscovery(discovery);
    await expect(cache.resourcesOf("bad/v1", signal)).rejects.toThrow("unable to handle");
    answers["/apis/bad/v1"] = { resources: [{ name: "bads", kind: "Bad", namespaced: true, verbs: [] }] };
    expect((await cache.resourcesOf("bad/v1", signal)).resources).toHaveLength(1);
    await expect(cache.resourcesOf("none/v1", signal)).rejects.toThrow("not found");
  });

  it.each([
    [{ group: "autoscaling", kind: "Hpa" }, [], "autoscaling/v2 hpas"],
    [{ group: "autoscaling", kind: "Hpa" }, ["v1"], "autoscaling/v1 hpas"],
    [{ group: "autoscaling", kind: "hpa" }, ["v9", "v1"], "autoscaling/v1 hpas"],
    [{ group: "autoscaling", kind: "Hpa" }, [""], "autoscaling/v2 hpas"],
    [{ group: "", kind: "Node" }, ["v1"], "/v1 nodes"],
  ])("maps %j in %j to %s", async (gk, versions, expected) => {
    const mapper = createRestMapper(cachedDiscovery(setup(aggregated()).discovery));
    const { group, version, resource } = await mapper.mapping(gk, versions, signal);
    expect(`${group}/${version} ${resource}`).toBe(expected);
  });

  it.each([
    [{ resource: "events" }, "/v1 Event"],
    [{ resource: "event", group: "events" }, "events.k8s.io/v1 Event"],
    [{ resource: "hpas", version: "v1" }, "autoscaling/v1 Hpa"],
  ])("finds the kind of %j", async (resource, expected) => {
    const mapper = createRestMapper(cachedDiscovery(setup(aggregated()).discovery));
    const gvk = await mapper.resourceFor(resource, signal);
    expect(`${gvk.group}/${gvk.version} ${gvk.kind}`).toBe(expected);
  });

  it("says what it did not find", async () => {
    const mapper = createRestMapper(cachedDiscovery(setup(aggregated()).discovery));
    await expect(mapper.resourceFor({ resource: "nope" }, signal)).rejects.toThrow("no matches for /, Resource=nope");
    await expect(mapper.mapping({ group: "g", kind: "K" }, [], signal)).rejects.toThrow(
      'no matches for kind "K" in group "g"',
    );
    await expect(mapper.mapping({ group: "autoscaling", kind: "Hpa" }, ["v9"], signal)).rejects.toThrow(
      'no matches for kind "Hpa" in version "autoscaling/v9"',
    );
  });
});
