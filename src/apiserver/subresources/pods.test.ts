// Subresources of pods over HTTP.

import { describe, expect, it } from "vitest";
import { defaultPlugins } from "../admission/default-plugins.ts";
import { type Answer, startTestServer, type TestClient } from "../testing.ts";

const NS = "/api/v1/namespaces/default";
const PODS = `${NS}/pods`;
const BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";

async function start(...pods: object[]): Promise<TestClient> {
  const gates = { isEnabled: (name: string) => name === "InPlacePodVerticalScaling" };
  const { bytes } = startTestServer({ admission: defaultPlugins, gates });
  await bytes.post(`${NS}/serviceaccounts`, { metadata: { name: "default" } });
  for (const each of pods) expect((await bytes.post(PODS, each)).status).toBe(201);
  return bytes;
}

const container = { name: "a", image: "example/a:1" };
const pod = (name: string, spec: object = {}, metadata: object = {}): object => ({
  metadata: { name, ...metadata },
  spec: { containers: [container], ...spec },
});
const binding = (name: string, metadata: object = {}, node = "n1"): object => ({
  metadata: { name, ...metadata },
  target: { kind: "Node", name: node },
});

function expectRefusal({ status, body }: Answer, code: number, why: string): void {
  expect([status, body.kind]).toEqual([code, "Status"]);
  expect(body.message).toContain(why);
}

describe("binding", () => {
  it("assigns a pod to a node, once", async () => {
    const client = await start(pod("a", {}, { annotations: { own: "1" } }));
    const bind = (object: object, query = ""): Promise<Answer> => client.post(`${PODS}/a/binding${query}`, object);
    expect((await bind(binding("a"), "?dryRun=All")).status).toBe(201);
    expect((await client.get(`${PODS}/a`)).body.spec.nodeName).toBeUndefined();
    const answer = await bind(binding("a", { annotations: { more: "2" } }));
    expect(answer.body).toMatchObject({ kind: "Status", status: "Success", code: 201 });
    expect((await client.get(`${PODS}/a`)).body).toMatchObject({
      metadata: { annotations: { own: "1", more: "2" } },
      spec: { nodeName: "n1" },
      status: { conditions: [{ type: "PodScheduled", status: "True" }] },
    });
    expectRefusal(await bind(binding("a", {}, "n2")), 409, 'pod a is already assigned to node "n1"');
    expectRefusal(await bind(binding("b")), 400, "name in URL does not match name in Binding object");
    expectRefusal(await client.post(`${PODS}/none/binding`, binding("none")), 404, 'pods "none" not found');
  });

  it("refuses gated pods, terminating pods, and another pod's uid", async () => {
    const client = await start(
      pod("gated", { schedulingGates: [{ name: "example.com/wait" }] }),
      pod("going", {}, { finalizers: ["example.com/hold"] }),
      pod("a"),
    );
    await client.delete(`${PODS}/going`);
    const bind = (name: string, metadata?: object): Promise<Answer> =>
      client.post(`${PODS}/${name}/binding`, binding(name, metadata));
    expectRefusal(await bind("gated"), 409, "pod gated has non-empty .spec.schedulingGates");
    expectRefusal(await bind("going"), 409, "pod going is being deleted, cannot be assigned to a host");
    expectRefusal(await bind("a", { uid: "other" }), 409, "Precondition failed: UID in precondition: other");
  });

  it("may be posted to its collection", async () => {
    const client = await start(pod("a"));
    expect((await client.post(`${NS}/bindings`, binding("a"))).status).toBe(201);
    expect((await client.get(`${PODS}/a`)).body.spec.nodeName).toBe("n1");
  });
});

describe("eviction", () => {
  const eviction = (name: string, deleteOptions: object = {}): object => ({ metadata: { name }, deleteOptions });
  const running = { status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } };

  it("machinery/7.4.r6 marks the pod and deletes it", async () => {
    const client = await start(pod("a", { nodeName: "n1" }), pod("b"));
    await client.post(`${PODS}/a/eviction?dryRun=All`, eviction("a"));
    expect((await client.get(`${PODS}/a`)).body.metadata.deletionTimestamp).toBeUndefined();
    expect((await client.post(`${PODS}/a/eviction`, eviction("a", { gracePeriodSeconds: 5 }))).status).toBe(201);
    expect((await client.get(`${PODS}/a`)).body).toMatchObject({
      metadata: { deletionGracePeriodSeconds: 5 },
      status: {
        conditions: [
          {
            type: "DisruptionTarget",
            status: "True",
            reason: "EvictionByEvictionAPI",
            message: "Eviction API: evicting",
          },
        ],
      },
    });
    await client.post(`${PODS}/b/eviction`, eviction("b"));
    expect((await client.get(`${PODS}/b`)).status).toBe(404);
    expectRefusal(await client.post(`${PODS}/b/eviction`, eviction("b")), 404, 'pods "b" not found');
  });

  it("machinery/7.4.r6 checks the budget, and charges it", async () => {
    const client = await start(pod("a", { nodeName: "n1" }, { labels: { app: "a" } }));
    await client.patch(`${PODS}/a/status`, "merge", running);
    await client.post(BUDGETS, { metadata: { name: "b" }, spec: { selector: { matchLabels: { app: "a" } } } });
    const setStatus = (status: object): Promise<Answer> => client.patch(`${BUDGETS}/b/status`, "merge", { status });
    const evict = (): Promise<Answer> => client.post(`${PODS}/a/eviction`, eviction("a"));
    await setStatus({ observedGeneration: 1, disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1 });
    const refused = await evict();
    expectRefusal(refused, 429, "Cannot evict pod as it would violate the pod's disruption budget.");
    expect(refused.body.details.causes).toEqual([
      { reason: "DisruptionBudget", message: "The disruption budget b needs 1 healthy pods and has 1 currently" },
    ]);
    await setStatus({ disruptionsAllowed: 1 });
    expect((await evict()).status).toBe(201);
    const { body } = await client.get(`${BUDGETS}/b`);
    expect(body.status.disruptionsAllowed).toBe(0);
    expect(Object.keys(body.status.disruptedPods)).toEqual(["a"]);
  });

  it("machinery/7.4.r6 evicts unhealthy pods according to the budget's policy, and supports only one budget", async () => {
    const labels = { app: "a" };
    const client = await start(pod("a", { nodeName: "n1", terminationGracePeriodSeconds: 0 }, { labels }));
    await client.patch(`${PODS}/a/status`, "merge", { status: { phase: "Running" } });
    const selector = { matchLabels: labels };
    await client.post(BUDGETS, { metadata: { name: "b" }, spec: { selector } });
    const healthy = { observedGeneration: 1, currentHealthy: 0, desiredHealthy: 1, disruptionsAllowed: 0 };
    await client.patch(`${BUDGETS}/b/status`, "merge", { status: healthy });
    const evict = (): Promise<Answer> => client.post(`${PODS}/a/eviction`, eviction("a"));
    expect((await evict()).status).toBe(429);
    await client.post(BUDGETS, { metadata: { name: "second" }, spec: { selector } });
    expect((await evict()).body).toMatchObject({ status: "Failure", code: 500 });
    await client.delete(`${BUDGETS}/second`);
    await client.patch(`${BUDGETS}/b`, "merge", { spec: { unhealthyPodEvictionPolicy: "AlwaysAllow" } });
    expect((await evict()).status).toBe(201);
    expect((await client.get(`${PODS}/a`)).status).toBe(404);
    expect((await client.get(`${BUDGETS}/b`)).body.status.disruptedPods).toBeUndefined();
  });
});

describe("containers", () => {
  it("for debugging can be added but not changed", async () => {
    const client = await start(pod("a"));
    const add = (name: string, image: string): Promise<Answer> =>
      client.patch(`${PODS}/a/ephemeralcontainers`, "strategic", { spec: { ephemeralContainers: [{ name, image }] } });
    expect((await add("debug", "x")).body.spec.ephemeralContainers).toHaveLength(1);
    expect((await add("second", "x")).body.spec.ephemeralContainers).toHaveLength(2);
    expect((await add("debug", "y")).status).toBe(422);
    const main = { spec: { ephemeralContainers: [{ name: "third", image: "x" }] } };
    expect((await client.patch(`${PODS}/a`, "strategic", main)).status).toBe(422);
  });

  it("are resized only through the resize subresource", async () => {
    const resources = { requests: { cpu: "100m" }, limits: { cpu: "200m" } };
    const client = await start(pod("a", { containers: [{ ...container, resources }] }));
    const change = { spec: { containers: [{ name: "a", image: "other", resources: { requests: { cpu: "150m" } } }] } };
    const { status, body } = await client.patch(`${PODS}/a/resize`, "strategic", change);
    expect(status).toBe(200);
    expect(body.spec.containers[0]).toMatchObject({
      image: "example/a:1",
      resources: { requests: { cpu: "150m" }, limits: { cpu: "200m" } },
    });
    expect(body.metadata.generation).toBe(2);
    const { image: _image, ...rest } = change.spec.containers[0] as { image: string };
    const direct = { spec: { containers: [{ ...rest, resources: { requests: { cpu: "120m" } } }] } };
    expect((await client.patch(`${PODS}/a`, "strategic", direct)).status).toBe(422);
  });

  it.each([
    ["two/log", 400, "a container name must be specified for pod two, choose one of: [a b]"],
    ["two/log?container=zz", 400, "container zz is not valid for pod two"],
    ["one/log?tailLines=-1", 422, "tailLines: Invalid value: -1"],
    ["none/log", 404, 'pods "none" not found'],
    ["one/exec?command=ls", 400, "pod one does not have a host assigned"],
    ["one/attach", 400, "pod one does not have a host assigned"],
    ["one/portforward", 400, "pod one does not have a host assigned"],
    ["one/proxy/path", 400, "address not allowed"],
    ["lost/log", 404, 'pods "nowhere" not found'],
    ["placed/log", 501, 'pods "placed": log is not available'],
    ["placed/exec?command=ls", 501, 'pods "placed": exec is not available'],
  ])("%s is refused: %s %s", async (target, code, why) => {
    const client = await start(
      pod("one"),
      pod("two", { containers: [container, { ...container, name: "b" }] }),
      pod("lost", { nodeName: "nowhere" }),
      pod("placed", { nodeName: "n1" }),
    );
    await client.post("/api/v1/nodes", { metadata: { name: "n1" } });
    const addresses = [{ type: "InternalIP", address: "10.0.0.1" }];
    await client.patch("/api/v1/nodes/n1/status", "merge", { status: { addresses } });
    expectRefusal(await client.get(`${PODS}/${target}`), code, why);
  });

  it.each([
    [{ type: "InternalIP", address: "127.0.0.1" }, 400, "address not allowed"],
    [{ type: "InternalIP", address: "10.0.0.1" }, 501, 'nodes "n1": proxy is not available'],
    [{ type: "Hostname", address: "n1.example" }, 501, 'nodes "n1": proxy is not available'],
    [{ type: "Other", address: "x" }, 500, "no preferred addresses found; known addresses: [{Other x}]"],
  ])("proxy of a node at %j is refused: %s %s", async (address, code, why) => {
    const client = await start();
    await client.post("/api/v1/nodes", { metadata: { name: "n1" }, status: { addresses: [address] } });
    expectRefusal(await client.get("/api/v1/nodes/n1/proxy/healthz"), code, why);
  });

  it("that have not started have an empty log", async () => {
    const client = await start(pod("a"));
    expect(await client.get(`${PODS}/a/log`)).toMatchObject({ status: 204, body: "" });
  });
});
