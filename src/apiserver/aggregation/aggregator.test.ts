import { describe, expect, it } from "vitest";
import type { APIServiceCondition } from "#api/generated/types/apiregistration-v1.ts";
import type { HttpRequest, Transport } from "#base/http.ts";
import { TransportError } from "#base/http.ts";
import { neverAborted } from "#base/testing.ts";
import { bytesTransport } from "../in-process-transport.ts";
import { startTestServer, type TestServer } from "../testing.ts";
import type { ServerTarget } from "./remote-version.ts";

const SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices";
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const WIDGETS = "/apis/example.com/v1/widgets";

const definition = {
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Cluster",
    names: { plural: "widgets", kind: "Widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};

const service = (spec: object) => ({ metadata: { name: "api", namespace: "default" }, spec });
const slice = (ready: boolean) => ({
  metadata: { name: "api-1", namespace: "default", labels: { "kubernetes.io/service-name": "api" } },
  addressType: "IPv4",
  endpoints: [{ addresses: ["192.0.2.1"], conditions: { ready } }],
  ports: [{ name: "https", port: 8443 }],
});
const registration = (more: object = {}) => ({
  metadata: { name: "v1.example.com" },
  spec: {
    group: "example.com",
    version: "v1",
    groupPriorityMinimum: 2000,
    versionPriority: 20,
    service: { namespace: "default", name: "api", port: 443 },
    caBundle: btoa("an authority"),
    ...more,
  },
});

interface Stage {
  readonly front: TestServer;
  readonly targets: ServerTarget[];
  readonly requests: HttpRequest[];
  /** Stops or resumes the answers of the aggregated server. */
  cut(isCut: boolean): void;
}

/** A second embedded server, which serves widgets, behind the first. */
async function openStage(): Promise<Stage> {
  const back = startTestServer();
  await back.bytes.post(DEFINITIONS, definition);
  await back.clock.advance(10);
  const peer = { user: { name: "front", groups: ["system:masters"] } };
  const backTransport = bytesTransport(back.server, { peer });
  const targets: ServerTarget[] = [];
  const requests: HttpRequest[] = [];
  let isCut = false;
  const connect = (target: ServerTarget): Transport => {
    targets.push(target);
    return {
      send: async (request, signal) => {
        requests.push(request);
        if (isCut) throw new TransportError("refused", "connection refused");
        return backTransport.send(request, signal);
      },
    };
  };
  const cut = (value: boolean): void => {
    isCut = value;
  };
  return { front: startTestServer({ connect }), targets, requests, cut };
}

async function condition({ bytes, clock }: TestServer): Promise<APIServiceCondition | undefined> {
  await clock.advance(1);
  const { body } = await bytes.get(`${SERVICES}/v1.example.com`);
  return (body as { status: { conditions?: APIServiceCondition[] } }).status.conditions?.[0];
}

async function register({ bytes, clock }: TestServer): Promise<void> {
  const ports = [{ name: "https", port: 443, targetPort: 8443 }];
  await bytes.post("/api/v1/namespaces/default/services", service({ ports }));
  await bytes.post("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", slice(true));
  await bytes.post(SERVICES, registration());
  await clock.advance(10);
}

describe("aggregated API servers", () => {
  it("leave discovery and its documents unchanged while checks find no change", async () => {
    const { front, requests } = await openStage();
    await register(front);
    const { generation } = front.server.registry;
    requests.length = 0;
    await front.clock.advance(90_000);
    expect(requests.length).toBeGreaterThan(3);
    expect(front.server.registry.generation).toBe(generation);
  });

  it("machinery/7.2.r9 are available once their service has ready endpoints that answer", async () => {
    const { front, targets } = await openStage();
    const { bytes } = front;
    await bytes.post(SERVICES, registration());
    expect(await condition(front)).toMatchObject({
      status: "False",
      reason: "ServiceNotFound",
      message: 'service/api in "default" is not present',
    });
    await bytes.post("/api/v1/namespaces/default/services", service({ ports: [{ name: "https", port: 8080 }] }));
    expect(await condition(front)).toMatchObject({
      reason: "ServicePortError",
      message: 'service/api in "default" is not listening on port 443',
    });
    const ports = [{ name: "https", port: 443 }];
    await bytes.patch("/api/v1/namespaces/default/services/api", "merge", { spec: { ports } });
    expect(await condition(front)).toMatchObject({
      reason: "EndpointsNotFound",
      message: 'cannot find endpointslices for service/api in "default"',
    });
    const slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
    await bytes.post(slices, slice(false));
    expect(await condition(front)).toMatchObject({
      reason: "MissingEndpoints",
      message: 'endpointslices for service/api in "default" have no addresses with port name "https"',
    });
    expect((await bytes.get(WIDGETS)).status).toBe(503);
    await bytes.put(`${slices}/api-1`, slice(true));
    expect(await condition(front)).toMatchObject({ status: "True", reason: "Passed", message: "all checks passed" });
    const target = { address: "192.0.2.1:8443", serverName: "api.default.svc", ca: "an authority" };
    expect(targets[0]).toEqual({ ...target, insecureSkipVerify: false });
  });

  it("machinery/7.2.r9 receive requests with the user's identity, without the user's credentials", async () => {
    const { front, requests } = await openStage();
    await register(front);
    requests.length = 0;
    const extra = { "example.com/a key": ["1", "2"] };
    const user = { name: "jane", uid: "7", groups: ["crew", "system:masters"], extra };
    const transport = bytesTransport(front.server, { peer: { user, address: "198.51.100.7" } });
    const headers = {
      ":authority": "here",
      authorization: "Bearer secret",
      "x-remote-user": "root",
      "x-remote-extra-scopes": "all",
      accept: "application/json",
    };
    const answer = await transport.send({ method: "GET", path: WIDGETS, query: "limit=5", headers }, neverAborted());
    expect(answer.status).toBe(200);
    expect(requests).toEqual([
      {
        method: "GET",
        path: WIDGETS,
        query: "limit=5",
        headers: {
          accept: "application/json",
          "x-forwarded-for": "198.51.100.7",
          "x-remote-user": "jane",
          "x-remote-uid": "7",
          "x-remote-group": ["crew", "system:masters", "system:authenticated"],
          "x-remote-extra-example.com%2Fa%20key": ["1", "2"],
        },
      },
    ]);
  });

  it("machinery/7.2.r9 store, list and watch through this one", async () => {
    const { front } = await openStage();
    await register(front);
    const { bytes } = front;
    const watch = await bytes.watch(`${WIDGETS}?watch=true`);
    expect(
      (await bytes.post(WIDGETS, { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "a" } })).status,
    ).toBe(201);
    await front.clock.advance(10);
    expect(watch.events).toMatchObject([{ type: "ADDED", object: { metadata: { name: "a" } } }]);
    expect((await bytes.get(`${WIDGETS}/a`)).body).toMatchObject({ kind: "Widget" });
    expect((await bytes.delete(`${WIDGETS}/a`)).status).toBe(200);
  });

  it("machinery/7.2.r9 are in discovery and in the index of OpenAPI by their priority", async () => {
    const { front } = await openStage();
    await register(front);
    const { bytes } = front;
    const { groups } = (await bytes.get("/apis")).body as { groups: { name: string }[] };
    expect(groups.at(-1)).toMatchObject({ name: "example.com", preferredVersion: { version: "v1" } });
    expect((await bytes.get("/apis/example.com")).body).toMatchObject({ kind: "APIGroup", name: "example.com" });
    expect((await bytes.get("/apis/example.com/v1")).body).toMatchObject({ resources: [{ name: "widgets" }] });
    const { items } = (await bytes.get("/apis", { accept: AGGREGATED })).body as { items: object[] };
    expect(items.at(-1)).toMatchObject({
      metadata: { name: "example.com" },
      versions: [{ version: "v1", freshness: "Current", resources: [{ resource: "widgets", scope: "Cluster" }] }],
    });
    const { paths } = JSON.parse((await bytes.get("/openapi/v3")).body);
    const [path, query] = paths["apis/example.com/v1"].serverRelativeURL.split("?");
    expect((await bytes.get(`${path}?${query}`)).body).toMatchObject({ openapi: "3.0.0" });
  });

  it("machinery/7.2.r9 affect only their own group when unavailable, and recover", async () => {
    const { front, cut } = await openStage();
    await register(front);
    const { bytes, clock } = front;
    cut(true);
    expect((await bytes.get(WIDGETS)).status).toBe(503);
    await clock.advance(31_000);
    expect(await condition(front)).toMatchObject({ status: "False", reason: "FailedDiscoveryCheck" });
    expect((await bytes.get("/apis/example.com/v1")).status).toBe(503);
    const { items } = (await bytes.get("/apis", { accept: AGGREGATED })).body as {
      items: { versions: { freshness: string; resources: object[] }[] }[];
    };
    const freshness = items.flatMap(({ versions }) => versions.map((version) => version.freshness));
    expect(freshness.filter((each) => each === "Stale")).toHaveLength(1);
    expect(items.at(-1)?.versions[0]?.resources).toHaveLength(1);
    cut(false);
    await clock.advance(31_000);
    expect(await condition(front)).toMatchObject({ status: "True", reason: "Passed" });
    await bytes.delete(`${SERVICES}/v1.example.com`);
    expect((await bytes.get(WIDGETS)).status).toBe(404);
  });

  it("machinery/7.2.r9 are reached by the name of an ExternalName service", async () => {
    const { front, targets } = await openStage();
    const external = { type: "ExternalName", externalName: "api.example.net" };
    await front.bytes.post("/api/v1/namespaces/default/services", service(external));
    await front.bytes.post(SERVICES, registration({ caBundle: "", insecureSkipTLSVerify: true }));
    expect(await condition(front)).toMatchObject({ status: "True" });
    expect(targets[0]).toEqual({
      address: "api.example.net:443",
      serverName: "api.default.svc",
      insecureSkipVerify: true,
    });
  });
});
