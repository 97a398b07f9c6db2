// The default plugins over HTTP: what they add and refuse, and how quotas are charged.

import { describe, expect, it } from "vitest";
import { type Answer, startTestServer, type TestClient } from "../testing.ts";
import { defaultPlugins } from "./default-plugins.ts";

const NS = "/api/v1/namespaces/default";
const PODS = `${NS}/pods`;
const CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses";

async function start(...on: readonly string[]): Promise<TestClient> {
  const gates = { isEnabled: (name: string) => on.includes(name) };
  const { bytes } = startTestServer({ admission: defaultPlugins, gates });
  await bytes.post(`${NS}/serviceaccounts`, { metadata: { name: "default" } });
  return bytes;
}

const container = (resources: object = {}, name = "a"): object => ({ name, image: "example/a:1", resources });
const pod = (name: string, spec: object = {}): object => ({
  metadata: { name },
  spec: { containers: [container()], ...spec },
});

function expectRefusal({ status, body }: Answer, why: string): void {
  expect(status).toBe(403);
  expect(body.reason).toBe("Forbidden");
  expect(body.message).toContain(why);
}

describe("pods at admission", () => {
  it("machinery/7.3.r2 get the default account, with its token mounted", async () => {
    const client = await start();
    const { body } = await client.post(PODS, pod("a"));
    const [volume] = body.spec.volumes;
    expect(body.spec.serviceAccountName).toBe("default");
    expect(volume.name).toMatch(/^kube-api-access-[a-z0-9]{5}$/);
    expect(volume.projected.sources[0].serviceAccountToken.expirationSeconds).toBe(3607);
    expect(body.spec.containers[0].volumeMounts).toEqual([
      { name: volume.name, readOnly: true, mountPath: "/var/run/secrets/kubernetes.io/serviceaccount" },
    ]);
    expectRefusal(
      await client.post(PODS, pod("b", { serviceAccountName: "nope" })),
      'error looking up service account default/nope: serviceaccount "nope" not found',
    );
  });

  it("machinery/7.3.r6 tolerate lost nodes for five minutes by default", async () => {
    const client = await start();
    const seconds = async (name: string, tolerations?: object[]): Promise<unknown[]> => {
      const { body } = await client.post(PODS, pod(name, tolerations && { tolerations }));
      return body.spec.tolerations.map(({ key, tolerationSeconds }: Record<string, unknown>) => [
        key,
        tolerationSeconds,
      ]);
    };
    const notReady = "node.kubernetes.io/not-ready";
    const unreachable = "node.kubernetes.io/unreachable";
    expect(await seconds("none")).toEqual([
      [notReady, 300],
      [unreachable, 300],
    ]);
    expect(await seconds("one", [{ key: notReady, operator: "Exists", effect: "NoExecute" }])).toEqual([
      [notReady, undefined],
      [unreachable, 300],
    ]);
    expect(await seconds("all", [{ operator: "Exists" }])).toEqual([[undefined, undefined]]);
  });

  it("machinery/7.3.r5, machinery/7.5.r4 get their priority only from their class", async () => {
    const client = await start();
    await client.post(CLASSES, { metadata: { name: "high" }, value: 1000, preemptionPolicy: "Never" });
    const rank = async (name: string, spec: object): Promise<unknown[]> => {
      const { body } = await client.post(PODS, pod(name, spec));
      return [body.spec.priority, body.spec.preemptionPolicy, body.spec.priorityClassName];
    };
    expect(await rank("plain", {})).toEqual([0, "PreemptLowerPriority", undefined]);
    expect(await rank("high", { priorityClassName: "high" })).toEqual([1000, "Never", "high"]);
    const system = { priorityClassName: "system-node-critical" };
    expect(await rank("system", system)).toEqual([2000001000, "PreemptLowerPriority", "system-node-critical"]);
    expectRefusal(await client.post(PODS, pod("a", { priority: 5 })), "the integer value of priority (5) must not be");
    expectRefusal(
      await client.post(PODS, pod("a", { priorityClassName: "nope" })),
      "no PriorityClass with name nope was found",
    );
    const kept = await client.patch(`${PODS}/high`, "merge", { spec: { priority: null }, metadata: { labels: {} } });
    expect(kept.body.spec.priority).toBe(1000);
  });

  it("machinery/7.3.r5 get the default class, of which there is one; the system's classes are protected", async () => {
    const client = await start();
    await client.post(CLASSES, { metadata: { name: "usual" }, value: 50, globalDefault: true });
    expect((await client.post(PODS, pod("a"))).body.spec).toMatchObject({ priority: 50, priorityClassName: "usual" });
    expectRefusal(
      await client.post(CLASSES, { metadata: { name: "second" }, value: 60, globalDefault: true }),
      "PriorityClass usual is already marked as default. Only one default can exist",
    );
    expect((await client.patch(`${CLASSES}/usual`, "merge", { description: "x" })).status).toBe(200);
    expectRefusal(await client.delete(`${CLASSES}/system-node-critical`), "this is a system priority class");
    const reserved = await client.post(CLASSES, { metadata: { name: "system-mine" }, value: 1 });
    expect(reserved.status).toBe(422);
    expect(reserved.body.message).toContain("priority class names with 'system-' prefix are reserved");
  });
});

describe("pods on a node with topology labels", () => {
  const topology = { "topology.kubernetes.io/zone": "a", "topology.kubernetes.io/region": "r" };

  it("machinery/7.3.r14 get its zone and region with their binding, or when they are created there", async () => {
    const client = await start("PodTopologyLabelsAdmission");
    await client.post("/api/v1/nodes", { metadata: { name: "node", labels: { ...topology, other: "x" } } });
    await client.post(PODS, pod("bound"));
    const target = { apiVersion: "v1", kind: "Node", name: "node" };
    const binding = { apiVersion: "v1", kind: "Binding", metadata: { name: "bound" }, target };
    expect((await client.post(`${PODS}/bound/binding`, binding)).status).toBe(201);
    expect((await client.get(`${PODS}/bound`)).body.metadata.labels).toEqual(topology);
    const own = {
      ...pod("placed", { nodeName: "node" }),
      metadata: { name: "placed", labels: { "topology.kubernetes.io/zone": "mine" } },
    };
    expect((await client.post(PODS, own)).body.metadata.labels).toEqual(topology);
  });

  it("machinery/7.3.r14 get nothing from a missing node", async () => {
    const client = await start("PodTopologyLabelsAdmission");
    expect((await client.post(PODS, pod("lost", { nodeName: "gone" }))).body.metadata.labels).toBeUndefined();
  });
});

describe("nodes at admission", () => {
  it("machinery/7.3.r7 start with a taint that keeps pods away", async () => {
    const client = await start();
    const taint = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };
    expect((await client.post("/api/v1/nodes", { metadata: { name: "a" } })).body.spec.taints).toEqual([taint]);
    const own = { metadata: { name: "b" }, spec: { taints: [{ ...taint, value: "mine" }] } };
    expect((await client.post("/api/v1/nodes", own)).body.spec.taints).toEqual([{ ...taint, value: "mine" }]);
    expect(
      (await client.patch("/api/v1/nodes/a", "merge", { spec: { taints: null } })).body.spec.taints,
    ).toBeUndefined();
  });
});

describe("limit ranges", () => {
  const range = (...limits: object[]): object => ({ metadata: { name: "l" }, spec: { limits } });
  const asking = (requests: object, limits: object = {}): object => ({
    containers: [container({ requests, limits })],
  });

  it("machinery/7.3.r3 set defaults of containers, and record them in an annotation", async () => {
    const client = await start();
    const limit = { type: "Container", default: { cpu: "200m" }, defaultRequest: { cpu: "100m", memory: "1Mi" } };
    await client.post(`${NS}/limitranges`, range(limit));
    const { body } = await client.post(
      PODS,
      pod("a", { initContainers: [container({ requests: { cpu: "1m" } }, "i")] }),
    );
    expect(body.spec.containers[0].resources).toEqual({
      requests: { cpu: "100m", memory: "1Mi" },
      limits: { cpu: "200m" },
    });
    expect(body.metadata.annotations["kubernetes.io/limit-ranger"]).toBe(
      "LimitRanger plugin set: cpu, memory request for container a; cpu limit for container a; memory request for init container i; cpu limit for init container i",
    );
  });

  it.each([
    { spec: {}, why: "cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0" },
    { spec: asking({ cpu: "50m" }), why: "minimum cpu usage per Container is 100m, but request is 50m" },
    {
      spec: asking({ cpu: "100m" }, { cpu: "300m" }),
      why: "cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000",
    },
    {
      spec: asking({ cpu: "100m" }, { cpu: "200m", memory: "2Gi" }),
      why: "maximum memory usage per Container is 1Gi, but limit is 2Gi",
    },
  ])("machinery/7.3.r3 refuse: $why", async ({ spec, why }) => {
    const client = await start();
    const limit = {
      type: "Container",
      min: { cpu: "100m" },
      max: { memory: "1Gi" },
      maxLimitRequestRatio: { cpu: "2" },
    };
    await client.post(`${NS}/limitranges`, range({ ...limit, default: { memory: "1Mi" } }));
    expectRefusal(await client.post(PODS, pod("a", spec)), why);
    expect((await client.get(`${PODS}/a`)).status).toBe(404);
  });

  it("machinery/7.3.r3 limit the size of claims", async () => {
    const client = await start();
    const limit = { type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "5Gi" } };
    await client.post(`${NS}/limitranges`, range(limit));
    const claim = (storage: string): Promise<Answer> =>
      client.post(`${NS}/persistentvolumeclaims`, {
        metadata: { name: "c" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
      });
    expectRefusal(await claim("6Gi"), "maximum storage usage per PersistentVolumeClaim is 5Gi, but request is 6Gi");
    expectRefusal(await claim("1Mi"), "minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi");
    expect((await claim("2Gi")).status).toBe(201);
  });
});

describe("quotas", () => {
  const QUOTA = `${NS}/resourcequotas/q`;
  async function limited(hard: object, used: object): Promise<TestClient> {
    const client = await start();
    await client.post(`${NS}/resourcequotas`, { metadata: { name: "q" }, spec: { hard } });
    await client.patch(`${QUOTA}/status`, "merge", { status: { hard, used } });
    return client;
  }
  const usedOf = async (client: TestClient): Promise<unknown> => (await client.get(QUOTA)).body.status.used;
  const map = (name: string): object => ({ metadata: { name } });

  it("machinery/7.3.r4 are charged for creates, not for dry runs and refused writes", async () => {
    const client = await limited({ configmaps: "2" }, { configmaps: "1" });
    await client.post(`${NS}/configmaps?dryRun=All`, map("a"));
    expect(await usedOf(client)).toEqual({ configmaps: "1" });
    await client.post(`${NS}/configmaps`, map("a"));
    expect(await usedOf(client)).toEqual({ configmaps: "2" });
    expectRefusal(
      await client.post(`${NS}/configmaps`, map("b")),
      "exceeded quota: q, requested: configmaps=1, used: configmaps=2, limited: configmaps=2",
    );
    const { body } = await client.get(QUOTA);
    expect(body.metadata.managedFields).toContainEqual(
      expect.objectContaining({ manager: "kube-apiserver", subresource: "status" }),
    );
  });

  it("machinery/7.3.r4 require the values that they measure, and refuse while their usage is unknown", async () => {
    const client = await limited({ "requests.cpu": "1" }, { "requests.cpu": "0" });
    expectRefusal(await client.post(PODS, pod("a")), "failed quota: q: must specify requests.cpu for: a");
    const asking = { containers: [container({ requests: { cpu: "600m" } })] };
    expect((await client.post(PODS, pod("a", asking))).status).toBe(201);
    expectRefusal(await client.post(PODS, pod("b", asking)), "requested: requests.cpu=600m, used: requests.cpu=600m");
    const unknown = await limited({ secrets: "1" }, {});
    expectRefusal(await unknown.post(`${NS}/secrets`, map("s")), "status unknown for quota: q, resources: secrets");
  });

  it("machinery/7.3.r4 never give the same remainder to two concurrent requests", async () => {
    const client = await limited({ configmaps: "3" }, { configmaps: "0" });
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => client.post(`${NS}/configmaps`, map(`m${index}`))),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    expect((await client.get(`${NS}/configmaps`)).body.items).toHaveLength(3);
    expect(await usedOf(client)).toEqual({ configmaps: "3" });
  });

  it("machinery/7.3.r4 stay charged for a write that fails later, until they are recalculated", async () => {
    const client = await limited({ configmaps: "3" }, { configmaps: "0" });
    await client.post(`${NS}/configmaps`, map("a"));
    expect((await client.post(`${NS}/configmaps`, map("a"))).status).toBe(409);
    expect(await usedOf(client)).toEqual({ configmaps: "2" });
  });
});

describe("claims at admission", () => {
  const CLAIMS = `${NS}/persistentvolumeclaims`;
  const STORAGE = "/apis/storage.k8s.io/v1/storageclasses";
  const claim = (name: string, spec: object = {}): object => ({
    metadata: { name },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
  });
  const createClass = (client: TestClient, name: string, more: object): Promise<Answer> =>
    client.post(STORAGE, { metadata: { name, ...more }, provisioner: "x", allowVolumeExpansion: name === "grows" });

  it("machinery/7.3.r9 get the default class, unless they name one or none", async () => {
    const client = await start();
    const classOf = async (name: string, spec?: object): Promise<unknown> =>
      (await client.post(CLAIMS, claim(name, spec))).body.spec.storageClassName;
    expect(await classOf("early")).toBeUndefined();
    await createClass(client, "usual", { annotations: { "storageclass.kubernetes.io/is-default-class": "true" } });
    expect(await classOf("late")).toBe("usual");
    expect(await classOf("other", { storageClassName: "other" })).toBe("other");
    expect(await classOf("none", { storageClassName: "" })).toBe("");
  });

  it("machinery/7.3.r9 can be expanded once bound, if their class allows it", async () => {
    const client = await start();
    await createClass(client, "grows", {});
    await createClass(client, "stays", {});
    const grow = async (name: string): Promise<Answer> => {
      const { body } = await client.get(`${CLAIMS}/${name}`);
      return await client.put(`${CLAIMS}/${name}`, {
        ...body,
        spec: { ...body.spec, resources: { requests: { storage: "2Gi" } } },
      });
    };
    for (const name of ["grows", "stays"]) await client.post(CLAIMS, claim(name, { storageClassName: name }));
    expect((await grow("grows")).status).toBe(422); // the spec of an unbound claim is immutable
    for (const name of ["grows", "stays"]) {
      const { body } = await client.get(`${CLAIMS}/${name}`);
      await client.put(`${CLAIMS}/${name}/status`, {
        ...body,
        status: { phase: "Bound", capacity: { storage: "1Gi" } },
      });
    }
    expectRefusal(await grow("stays"), "the storageclass that provisions the pvc must support resize");
    expect((await grow("grows")).status).toBe(200);
  });
});

describe("storage objects at admission", () => {
  it.each([
    [
      "/api/v1/persistentvolumes",
      { spec: { capacity: { storage: "1Gi" }, hostPath: { path: "/a" }, accessModes: ["ReadWriteOnce"] } },
      "pv",
    ],
    [
      `${NS}/persistentvolumeclaims`,
      { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
      "pvc",
    ],
    ["/apis/storage.k8s.io/v1/volumeattributesclasses", { driverName: "example.com", parameters: { a: "b" } }, "vac"],
  ])(
    "machinery/7.3.r8 get the finalizer that protects them while they are in use: %s",
    async (collection, content, kind) => {
      const client = await start();
      const { body } = await client.post(collection, {
        metadata: { name: "a", finalizers: ["example.com/own"] },
        ...content,
      });
      expect(body.metadata.finalizers).toEqual(["example.com/own", `kubernetes.io/${kind}-protection`]);
    },
  );
});
